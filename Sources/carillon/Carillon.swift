internal import CLinux

@main
struct Carillon {
    static func main() {}
}
