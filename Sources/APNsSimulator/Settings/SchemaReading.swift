public import Codes
internal import LiveActivity
public import SimulatedAPNs

extension SimulatorSettings {
    /// Reads a schema file (Docs/Simulator.md). Throws `simulator-schema` with the place, or `simulator-credentials` when the
    /// file cannot be read.
    public static func readSchemas(file path: String) throws(Fault) -> [ActivitySchema] {
        try readSchemas(try readFile(path), place: path)
    }

    /// Reads a schema document. Throws `simulator-schema` with the place.
    public static func readSchemas(_ bytes: [UInt8], place: String = "") throws(Fault) -> [ActivitySchema] {
        let document: JSONValue
        do throws(JSONFault) { document = try JSONValue(parsing: bytes.span) } catch {
            throw Fault(.simulatorSchema, error.words, at: "\(place):\(JSONLocation(of: error.offset, in: bytes.span))")
        }
        do throws(SchemaFault) { return try ActivitySchema.read(document) } catch {
            throw Fault(.simulatorSchema, "\(error.path) \(error.problem)", at: place)
        }
    }
}
