import Codes

/// Figures with names: printed as a table, or as JSON with `-o json`.
struct FigureTable {
    /// A cell.
    enum Value {
        case text(String)
        /// Printed with two decimals below 100, without above.
        case number(Double)
    }

    let name: String
    let columns: [String]
    private(set) var rows: [[Value]] = []
    /// Lines below the table: what a figure means, and on what machine it was measured.
    var notes: [String] = []

    init(_ name: String, _ columns: [String]) {
        self.name = name
        self.columns = columns
    }

    mutating func add(_ row: [Value]) { rows.append(row) }

    /// Writes the table to standard output.
    func show(json: Bool) {
        print(json ? document : table)
    }

    private var table: String {
        let cells = [columns] + rows.map { $0.map(Self.text) }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let lines = cells.map { row in
            row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + space : space + row[column]
            }.joined(separator: "  ")
        }
        return ([name] + lines + notes).joined(separator: "\n")
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number >= 100 ? "\(Int(number.rounded()))" : Measure.decimals(number)
        }
    }

    private var document: String {
        var output = Array("{\"benchmark\":".utf8)
        JSONText.append(name, to: &output)
        output += Array(",\"rows\":[".utf8)
        for (index, row) in rows.enumerated() {
            output += Array((index == 0 ? "{" : ",{").utf8)
            for (column, value) in row.enumerated() {
                if column > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.append(columns[column], to: &output)
                output.append(UInt8(ascii: ":"))
                switch value {
                case .text(let text): JSONText.append(text, to: &output)
                case .number(let number): output += Array("\(number)".utf8)
                }
            }
            output.append(UInt8(ascii: "}"))
        }
        output += Array("],\"notes\":[".utf8)
        for (index, note) in notes.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            JSONText.append(note, to: &output)
        }
        output += Array("]}".utf8)
        return String(decoding: output, as: UTF8.self)
    }
}
