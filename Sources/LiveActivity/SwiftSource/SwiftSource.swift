public import Codes

/// Makes schemas from the `ActivityAttributes` types of an app's Swift source, as `Codable` synthesises their decoding.
///
/// Understood: structs with stored properties, optionals, arrays, sets, dictionaries, `ClosedRange`, nested structs,
/// enums of `String` or `Int` or with associated values, `CodingKeys` with string values, type aliases, extensions that
/// add types, default values, several files. Everything else that a schema would need is named with its place.
public enum SwiftSource {
    /// Most bytes of one file.
    public static let bytesMax = 1_048_576

    /// One file.
    public struct File: Sendable {
        /// As messages name it.
        public let name: String
        /// Its contents.
        public let bytes: [UInt8]

        /// Makes a file.
        public init(name: String, bytes: [UInt8]) {
            (self.name, self.bytes) = (name, bytes)
        }
    }

    /// What was found.
    public struct Reading: Sendable {
        /// Types without any fault, in the order of the source.
        public let schemas: [ActivitySchema]
        /// What is not understood, each with file:line:column.
        public let faults: [Fault]
    }

    /// Reads files that belong together. Takes any bytes.
    public static func read(_ files: [File]) -> Reading {
        var root = SourceType(kind: .other("module"), name: "", place: SourcePlace(file: 0, offset: 0))
        var troubles: [SourceTrouble] = []
        for (index, file) in files.enumerated() {
            do throws(SourceTrouble) {
                guard file.bytes.count <= bytesMax else {
                    throw SourceTrouble(file: index, offset: 0, problem: "the file is larger than \(bytesMax) bytes")
                }
                let tokens = try SourceTokeniser.tokens(of: file.bytes, file: index)
                var parser = SourceParser(tokens: tokens, file: index)
                root.types += try parser.parseFile().types
            } catch { troubles.append(error) }
        }
        applyExtensions(to: &root)
        var maker = SchemaMaker(root: root)
        let schemas = maker.schemas()
        troubles += maker.troubles
        var faults = troubles.map { fault($0, files) }
        if faults.isEmpty, schemas.isEmpty {
            let names = files.map(\.name).joined(separator: ", ")
            faults.append(Fault(.sourceWithoutAttributes, at: names))
        }
        return Reading(schemas: schemas, faults: faults)
    }

    /// Extensions of extensions' types may come in any order: as long as one finds its type, the others are tried
    /// again. Extensions of types that are not declared here are none of ours.
    private static func applyExtensions(to root: inout SourceType) {
        var waiting = root.types.filter(\.isExtension)
        root.types.removeAll(where: \.isExtension)
        var progress = true
        while progress {
            progress = false
            waiting.removeAll { addition in
                let found = root.extend(addition.extended[...], by: addition)
                progress = progress || found
                return found
            }
        }
    }

    private static func fault(_ trouble: SourceTrouble, _ files: [File]) -> Fault {
        let file = files[trouble.file]
        let place = JSONLocation(of: trouble.offset, in: file.bytes.span)
        return Fault(.sourceNotUnderstood, trouble.problem, at: "\(file.name):\(place)")
    }
}

extension SourceType {
    fileprivate var isExtension: Bool {
        if case .extension = kind { true } else { false }
    }
}
