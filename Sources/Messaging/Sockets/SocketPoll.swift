internal import CZeroMQ
public import Loops

/// Waits for a handful of sockets and wake-ups at once.
///
/// Built on zmq_poll, which looks at the sockets' own state: the descriptors of libzmq are edge-triggered, and a loop
/// that watches them itself stalls unless it reads every socket dry. Threads: the owner of the sockets.
public final class SocketPoll {
    /// Names something that is waited for.
    public struct Place: Sendable, Hashable {
        fileprivate let index: Int
    }

    private var items: [zmq_pollitem_t] = []

    /// Waits for nothing yet.
    public init() {}

    /// Waits for messages of `socket` from now on. The socket must outlive the poll.
    public func add(_ socket: Socket) -> Place {
        add(zmq_pollitem_t(socket: socket.pointer, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
    }

    /// Waits for `wakeup` from now on; the caller clears it.
    public func add(_ wakeup: Wakeup) -> Place {
        add(descriptor: wakeup.descriptor)
    }

    /// Waits for a descriptor to become readable from now on.
    public func add(descriptor: Int32) -> Place {
        add(zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0))
    }

    private func add(_ item: zmq_pollitem_t) -> Place {
        items.append(item)
        return Place(index: items.count - 1)
    }

    /// Waits until something is readable, at most `milliseconds` (-1: for ever, 0: only looks); whether anything is.
    @discardableResult
    public func wait(milliseconds: Int) -> Bool {
        let ready = zmq_poll(&items, Int32(items.count), milliseconds)
        if ready < 0 {
            for index in items.indices { items[index].revents = 0 }
        }
        return ready > 0
    }

    /// Whether the last wait found it readable.
    public func isReadable(_ place: Place) -> Bool {
        items[place.index].revents & Int16(ZMQ_POLLIN | ZMQ_POLLERR) != 0
    }
}
