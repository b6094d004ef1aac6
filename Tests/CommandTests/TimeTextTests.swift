import Testing

@testable import carillon

@Suite struct TimeTextTests {
    @Test(
        arguments: [
            ("0", 0), ("1790000000", 1_790_000_000), ("2026-09-21T14:13:20Z", 1_790_000_000),
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799), ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] as [(String, Int64)])
    func times(_ text: String, _ seconds: Int64) {
        #expect(TimeText.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "-1", "1790000000000", "2026-09-21", "2026-09-21T14:13:20", "2026-13-21T14:13:20Z", "2026-09-21T24:13:20Z",
        "2026-09-21 14:13:20Z", "٢026-09-21T14:13:20Z", "now",
    ])
    func others(_ text: String) {
        #expect(TimeText.seconds(text) == nil)
    }
}
