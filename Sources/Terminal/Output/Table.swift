/// Rows under upper-case headers, without borders; the last column is not filled up.
public struct Table: Sendable, Hashable {
    /// One column.
    public struct Column: Sendable, Hashable {
        /// In capitals.
        public let header: String
        /// Numbers stand to the right.
        public let isNumber: Bool
        /// Only shown by `-o wide`.
        public let isWide: Bool

        /// Text.
        public static func text(_ header: String, wide: Bool = false) -> Column {
            Column(header: header, isNumber: false, isWide: wide)
        }

        /// A number.
        public static func number(_ header: String, wide: Bool = false) -> Column {
            Column(header: header, isNumber: true, isWide: wide)
        }
    }

    /// One value, perhaps in a style.
    public struct Cell: Sendable, Hashable, ExpressibleByStringInterpolation {
        /// Control characters are shown as `?`.
        public let text: String
        /// Used when colour is on.
        public let style: Style?

        /// A value.
        public init(_ text: String, _ style: Style? = nil) {
            self.text = Printable.text(text)
            self.style = style
        }

        /// A value without style.
        public init(stringLiteral value: String) { self.init(value) }
    }

    /// In the order shown.
    public let columns: [Column]
    /// One cell per column.
    public private(set) var rows: [[Cell]] = []

    /// Makes a table without rows; printed, it is its header.
    public init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row with one cell per column; missing ones are empty.
    public mutating func append(_ cells: [Cell]) {
        precondition(cells.count <= columns.count, "\(cells.count) cells for \(columns.count) columns")
        rows.append(cells + repeatElement(Cell(""), count: columns.count - cells.count))
    }

    /// The lines, each with its line break.
    public func text(wide: Bool = false, painter: Painter = Painter(isOn: false)) -> String {
        let shown = columns.indices.filter { wide || !columns[$0].isWide }
        let widths = shown.map { index in
            rows.map { TextWidth.columns($0[index].text) }.reduce(TextWidth.columns(columns[index].header), max)
        }
        let header = shown.map { Cell(columns[$0].header, .bold) }
        return ([header] + rows.map { row in shown.map { row[$0] } }).map { cells in
            line(cells, shown, widths, painter)
        }.joined()
    }

    private func line(_ cells: [Cell], _ shown: [Int], _ widths: [Int], _ painter: Painter) -> String {
        var text = ""
        for (position, cell) in cells.enumerated() {
            let isNumber = columns[shown[position]].isNumber
            let isLast = position == cells.count - 1
            let space = String(repeating: " ", count: widths[position] - TextWidth.columns(cell.text))
            let value = cell.style.map { painter(cell.text, $0) } ?? cell.text
            text += isNumber ? space + value : value + (isLast ? "" : space)
            text += isLast ? "" : "   "
        }
        while text.last == " " { text.removeLast() }
        return text + "\n"
    }
}
