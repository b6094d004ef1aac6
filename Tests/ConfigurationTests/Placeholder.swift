// Placeholder until the module is filled; deleted by its first real file.
