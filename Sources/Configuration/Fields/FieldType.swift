internal import Codes

/// The value of a setting once its type is checked.
enum FieldValue: Sendable, Equatable {
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case text(String)
    case list([String])
}

/// What a setting takes; the same table checks files and variables and writes the reference.
enum FieldType: Sendable {
    case integer(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case boolean
    case text(TextForm)
    case word([String])
    /// A file or directory; relative to the directory of the configuration file. Empty when `optional`.
    case path(optional: Bool)
    /// Texts; may have none when `optional`.
    case list(of: TextForm, optional: Bool)

    /// How the reference and messages name it.
    var description: String {
        switch self {
        case .integer(let range): "whole number, \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "number, \(plain(range.lowerBound)) to \(plain(range.upperBound))"
        case .boolean: "true or false"
        case .text(let form): form.description
        case .word(let words): words.map { "\"\($0)\"" }.joined(separator: ", ")
        case .path(let optional): optional ? "path, or empty" : "path"
        case .list(let form, let optional): "list of \(form.description)" + (optional ? ", or empty" : "")
        }
    }

    /// Checks a value of the file. The failure has no place yet.
    func check(_ node: TomlNode) -> Result<FieldValue, Fault> {
        switch (self, node.value) {
        case (.integer, .integer(let number)): check(.integer(number))
        case (.number, .integer(let number)): check(.number(Double(number)))
        case (.number, .number(let number)): check(.number(number))
        case (.boolean, .boolean(let truth)): .success(.boolean(truth))
        case (.text, .string(let text)), (.word, .string(let text)), (.path, .string(let text)): check(.text(text))
        case (.list, .array(let nodes)): checkList(nodes)
        default: .failure(Fault(.wrongType, "expected \(description), found \(node.typeName)"))
        }
    }

    /// Checks the text of an environment variable; lists are separated by commas.
    func check(variable text: String) -> Result<FieldValue, Fault> {
        let wrong = Result<FieldValue, Fault>.failure(Fault(.wrongType, "expected \(description)"))
        switch self {
        case .integer: return Int64(text.filter { $0 != "_" }).map { check(.integer($0)) } ?? wrong
        case .number: return Double(text).map { check(.number($0)) } ?? wrong
        case .boolean:
            switch text.lowercased() {
            case "true", "1": return .success(.boolean(true))
            case "false", "0": return .success(.boolean(false))
            default: return wrong
            }
        case .text, .word, .path: return check(.text(text))
        case .list(_, let optional):
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
            return check(.list(optional && words == [""] ? [] : words))
        }
    }

    private func checkList(_ nodes: [TomlNode]) -> Result<FieldValue, Fault> {
        var words: [String] = []
        for node in nodes {
            guard case .string(let text) = node.value else {
                return .failure(Fault(.wrongType, "expected \(description), found \(node.typeName) in the list"))
            }
            words.append(text)
        }
        return check(.list(words))
    }

    private func check(_ value: FieldValue) -> Result<FieldValue, Fault> {
        switch (self, value) {
        case (.integer(let range), .integer(let number)) where !range.contains(number):
            return .failure(Fault(.outOfRange, "\(number) is not in \(range.lowerBound) to \(range.upperBound)"))
        case (.number(let range), .number(let number)) where !range.contains(number):
            let bounds = "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
            return .failure(Fault(.outOfRange, "\(plain(number)) is not in \(bounds)"))
        case (.word(let words), .text(let text)) where !words.contains(text):
            let guess = Suggestion.phrase(for: text, among: words)
            return .failure(Fault(.badValue, "'\(shown(text))' is none of \(description)\(guess)"))
        case (.path(let optional), .text(let text)) where (text.isEmpty && !optional) || text.utf8.contains(0):
            return .failure(Fault(.badValue, "expected a path"))
        case (.text(let form), .text(let text)) where !form.accepts(text):
            return .failure(Fault(.badValue, "'\(shown(text))' is not \(form.description)"))
        case (.list(let form, let optional), .list(let words)):
            if words.isEmpty && !optional { return .failure(Fault(.badValue, "the list is empty")) }
            guard let bad = words.first(where: { !form.accepts($0) }) else { return .success(value) }
            return .failure(Fault(.badValue, "'\(shown(bad))' is not \(form.description)"))
        default: return .success(value)
        }
    }
}

/// A fraction as a person writes it: without a needless `.0`.
func plain(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
}

/// A value quoted in a message: short, and without control characters.
private func shown(_ text: String) -> String {
    String(text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
}

private func trimmed(_ text: Substring) -> String {
    let space: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = text.drop(while: space)
    while let last = rest.last, space(last) { rest.removeLast() }
    return String(rest)
}
