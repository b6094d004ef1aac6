/// What the cores themselves are asked.
extension World {
    /// After every turn of a core.
    mutating func observe(_ node: Int) {}

    /// When everything has come to rest.
    mutating func checkCores() {}

    /// A disk is lost for good: only one at a time, and only when the last one was made up for.
    mutating func loseDisk(_ node: Int) {}
}
