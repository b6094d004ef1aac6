internal import CLinux
public import Codes
internal import HTTP2
internal import Loops
internal import SimulatedAPNs

/// An APNs simulator on real ports: HTTP/2 over TLS for requests, one for sending and one for channel management, and
/// a Unix socket by which it is told what to do and asked what it sees.
///
/// Threads: one loop thread inside; everything here may be called from any thread.
public final class APNsSimulator: Sendable {
    private let loop: SimulatorLoop
    private let thread: LoopThread
    /// Address listened on.
    public let host: String
    /// Port for `/3/device` and `/4/broadcasts`.
    public let sendPort: UInt16
    /// Port for channel management.
    public let managePort: UInt16
    /// Path of the control socket.
    public let controlPath: String?
    /// Files that clients need: CA and provider key.
    public let credentials: SimulatorCredentials

    /// Prepares credentials, ports and devices; requests are answered from `start` on.
    ///
    /// Throws `simulator-credentials`, `tls-settings`, `listen-failed`, `simulator-socket`, `simulator-unknown` (a
    /// device group names an app or schema that is not there) or `simulator-full`.
    public init(_ settings: SimulatorSettings) throws(Fault) {
        let thread = LoopThread(name: "apns-simulator")
        loop = try SimulatorLoop(settings, thread: thread)
        self.thread = thread
        host = settings.host
        sendPort = loop.sendPort
        managePort = loop.managePort
        controlPath = settings.controlPath
        credentials = SimulatorCredentials(directory: settings.credentialsDirectory, keyID: settings.keyID)
    }

    /// Starts the loop thread. Call once. `whenStopped` is called on that thread when the loop has ended, by `stop` or
    /// by the control command of that name.
    public func start(whenStopped: @escaping @Sendable () -> Void = {}) {
        let loop = loop
        thread.start {
            loop.assumeIsolated { $0.run() }
            whenStopped()
        }
    }

    /// Ends the loop: connections are told to go and closed. Returns when the thread has ended. May be called again.
    public func stop() {
        loop.requestStop()
        thread.join()
    }

    /// Returns when the loop has ended, by the control command `stop` or by `stop` from another thread.
    public func waitUntilStopped() { thread.join() }
}
