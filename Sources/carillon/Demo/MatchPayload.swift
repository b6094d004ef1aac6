internal import LiveActivity

/// The scoreboard as a Live Activity payload. No timestamp: the node puts it in.
enum MatchPayload {
    /// Name of the attributes type in `schemas`.
    static let attributesType = "MatchAttributes"

    /// What the demo's devices decode; `ball` only grows, so a device that goes back is seen.
    static let schemas = """
        {"format": 1, "types": {"\(attributesType)": {
          "attributes": {},
          "contentState": {"ball": "Int", "side": "String", "runs": "Int", "wickets": "Int", "over": "String",
                           "target": "Int", "last": "String", "result": "String"},
          "monotone": "ball"}}}
        """

    static func update(_ board: Scoreboard, alert: String?) -> [UInt8] {
        payload(board, event: "update", alert: alert)
    }

    static func end(_ board: Scoreboard) -> [UInt8] {
        payload(board, event: "end", alert: board.result)
    }

    private static func payload(_ board: Scoreboard, event: String, alert: String?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.name("aps")
        json.beginObject()
        json.member("event", event)
        json.name("content-state")
        json.beginObject()
        json.member("ball", Int64(board.ball))
        json.member("side", board.side)
        json.member("runs", Int64(board.runs))
        json.member("wickets", Int64(board.wickets))
        json.member("over", board.over)
        json.member("target", Int64(board.target))
        json.member("last", board.last)
        json.member("result", board.result)
        json.endObject()
        if let alert {
            json.name("alert")
            json.beginObject()
            json.member("title", board.line)
            json.member("body", alert)
            json.member("sound", "default")
            json.endObject()
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }
}
