import Configuration

/// Settings as a file with a few changes would give them.
enum TestSettings {
    /// Reads the default file with `CARILLON_…` variables; paths are below `directory`.
    static func make(_ variables: [String: String] = [:], directory: String = "/nowhere") throws -> Settings {
        let file = Array(Settings.defaultFile.utf8)
        let loaded = Settings.parse(file, file: directory + "/cluster.toml", environment: variables)
        return try loaded.get().settings
    }
}
