public import Codes
public import LiveActivity

extension SimulatorSettings {
    /// Reads a schema file (Docs/Simulator.md). Throws `simulator-schema` with the place, or `simulator-credentials`
    /// when the file cannot be read.
    public static func readSchemas(file path: String) throws(Fault) -> [ActivitySchema] {
        try readSchemas(try readFile(path), place: path)
    }

    /// Reads a schema document. Throws `simulator-schema` with the place.
    public static func readSchemas(_ bytes: [UInt8], place: String = "") throws(Fault) -> [ActivitySchema] {
        do throws(Fault) { return try ActivitySchema.read(bytes, place: place) } catch {
            throw Fault(.simulatorSchema, error.detail, at: error.place)
        }
    }
}
