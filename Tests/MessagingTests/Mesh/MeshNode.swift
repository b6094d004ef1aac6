import Codes
import Foundation
import Loops
import Messaging

/// One node's port with what it received, for tests; a turn of it reads both planes as the core does.
final class MeshNode {
    let name: String
    let certificate: Certificate
    let list: AllowList?
    let context = MessagingContext()
    let authenticator: Authenticator?
    let port: MeshPort
    private(set) var control: [MeshPort.Message] = []
    private(set) var data: [MeshPort.Message] = []

    /// `directory` is where nodes put their certificates; nil: no encryption.
    init(
        _ name: String, directory: String?, certificate: Certificate? = nil, identity: String = "1",
        control: String = "tcp://127.0.0.1:*", data: String = "tcp://127.0.0.1:*",
        _ change: (inout MeshSettings) -> Void = { _ in }
    ) throws {
        self.name = name
        self.certificate = try certificate ?? Certificate.generate(name: name, role: .node)
        var security: MeshSettings.Security?
        if let directory {
            if certificate == nil { try self.certificate.write(directory: directory) }
            let list = try AllowList(directories: [directory])
            self.list = list
            security = MeshSettings.Security(certificate: self.certificate, allowList: list)
            authenticator = try Authenticator(
                context: context, domains: [.init(MeshSettings.Security.domain, list, roles: [.node])])
        } else {
            (list, authenticator) = (nil, nil)
        }
        var settings = MeshSettings(
            control: control, data: data, identity: Array((name + identity).utf8), security: security)
        change(&settings)
        port = try MeshPort(context: context, settings: settings)
    }

    deinit {
        port.close()
        authenticator?.stop()
    }

    /// Makes `self` know where `other` is.
    func meet(_ other: MeshNode) throws {
        try list?.reload()
        try port.connect(
            other.name, control: other.port.endpoint(.control), data: other.port.endpoint(.data),
            now: Clock.bootMilliseconds())
    }

    func turn() {
        port.maintain(now: Clock.bootMilliseconds())
        _ = port.receiveControl(budget: 64) { control.append($0) }
        _ = port.receiveData(budget: 64) { data.append($0) }
    }

    func forget() { (control, data) = ([], []) }
}

/// Takes turns of `nodes` until `condition` holds, for at most ten seconds.
func wait(_ nodes: MeshNode..., until condition: () throws -> Bool) rethrows -> Bool {
    try wait {
        for node in nodes { node.turn() }
        return try condition()
    }
}
