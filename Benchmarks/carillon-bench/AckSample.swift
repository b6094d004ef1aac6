/// What one run of an `AckLoad` gave: acks a second, milliseconds, and microseconds of CPU for each ack.
struct AckSample {
    var perSecond = 0.0
    var p50 = 0.0
    var p99 = 0.0
    var nodeCPU = 0.0
    var clientCPU = 0.0
}
