@main
struct Carillon {
    static func main() {}
}
