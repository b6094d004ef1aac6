// Placeholder until the suite is filled; deleted by its first real file.
