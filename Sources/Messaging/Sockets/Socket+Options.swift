internal import CZeroMQ
import Codes

extension Socket {
    /// Sets everything of `options`; called once, before binding or connecting.
    func apply(_ options: SocketOptions, kind: Kind) throws(Fault) {
        try set(ZMQ_LINGER, options.lingerMilliseconds)
        try set(ZMQ_SNDHWM, options.sendHighWater)
        try set(ZMQ_RCVHWM, options.receiveHighWater)
        try set(wide: ZMQ_MAXMSGSIZE, options.frameBytesMax)
        try set(wide: ZMQ_AFFINITY, options.ioThread.map { 1 << Int64($0) } ?? 0)
        guard kind != .pair else { return }
        try set(ZMQ_HEARTBEAT_IVL, options.heartbeatMilliseconds)
        try set(ZMQ_HEARTBEAT_TIMEOUT, options.heartbeatTimeoutMilliseconds)
        try set(ZMQ_HEARTBEAT_TTL, options.heartbeatTimeoutMilliseconds)
        try set(ZMQ_HANDSHAKE_IVL, options.handshakeMilliseconds)
        try set(ZMQ_CONNECT_TIMEOUT, options.connectMilliseconds)
        try set(ZMQ_TCP_KEEPALIVE, 1)
        try set(ZMQ_TCP_KEEPALIVE_IDLE, options.keepAliveIdleSeconds)
        try set(ZMQ_RECONNECT_IVL, options.reconnectMilliseconds)
        try set(ZMQ_RECONNECT_IVL_MAX, options.reconnectMillisecondsMax)
        try set(ZMQ_BACKLOG, options.backlog)
        try set(ZMQ_IPV6, 1)
        if kind == .router {
            try set(ZMQ_ROUTER_MANDATORY, options.routerMandatory ? 1 : 0)
            try set(ZMQ_ROUTER_HANDOVER, options.routerHandover ? 1 : 0)
        } else {
            // With 1 libzmq 4.3 takes the pipe away when a connection is lost, and aborts the process when that falls
            // between two frames that are being received (fq.cpp, `!_more`). With 0 what is queued for the lost peer
            // reaches the next one instead.
            try set(ZMQ_IMMEDIATE, options.isWriteOnly ? 1 : 0)
        }
        if let routingID = options.routingID { try set(ZMQ_ROUTING_ID, bytes: routingID) }
        try apply(options.security)
    }

    private func apply(_ security: Security) throws(Fault) {
        switch security {
        case .insecure:
            return
        case .server(let certificate, let domain):
            try requireCurve()
            try set(ZMQ_CURVE_SERVER, 1)
            try set(ZMQ_CURVE_SECRETKEY, bytes: certificate.secretBytes())
            try set(ZMQ_ZAP_DOMAIN, bytes: Array(domain.utf8))
            // Without a handler libzmq would let everybody in who knows the server's key.
            try set(CRL_ZMQ_ZAP_ENFORCE_DOMAIN, 1)
        case .client(let certificate, let serverKey):
            try requireCurve()
            try set(ZMQ_CURVE_SERVERKEY, bytes: serverKey.bytes)
            try set(ZMQ_CURVE_PUBLICKEY, bytes: certificate.publicKey.bytes)
            try set(ZMQ_CURVE_SECRETKEY, bytes: certificate.secretBytes())
        }
    }

    private func requireCurve() throws(Fault) {
        guard MessagingContext.hasCurve else { throw Fault(.curveUnavailable) }
    }

    private func set(_ option: Int32, _ value: Int32) throws(Fault) {
        var value = value
        try check(option, zmq_setsockopt(pointer, option, &value, MemoryLayout<Int32>.size))
    }

    private func set(wide option: Int32, _ value: Int64) throws(Fault) {
        var value = value
        try check(option, zmq_setsockopt(pointer, option, &value, MemoryLayout<Int64>.size))
    }

    private func set(_ option: Int32, bytes: [UInt8]) throws(Fault) {
        try check(option, zmq_setsockopt(pointer, option, bytes, bytes.count))
    }

    private func check(_ option: Int32, _ result: Int32) throws(Fault) {
        guard result == 0 else { throw Fault(.badEndpoint, "socket option \(option): \(ZMQError.last.text)") }
    }
}
