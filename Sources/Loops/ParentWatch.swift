internal import CLinux

/// Ends this process when the one that started it ends.
///
/// Not by `PR_SET_PDEATHSIG` alone: that signal comes when the parent's *thread* ends that started the child, and a
/// Swift parent may start children from a pool whose idle threads end after seconds.
public enum ParentWatch {
    /// From now on the end of the parent process sends SIGTERM to this one. Call after the signals of the process are
    /// blocked, so that whoever waits for them gets it. Starts a thread.
    public static func start() {
        let descriptor = crl_pidfd_open(getppid())
        guard descriptor >= 0 else {
            _ = crl_end_with_parent()
            return
        }
        LoopThread(name: "parent").start {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, -1) != 1 {}
            kill(getpid(), SIGTERM)
        }
    }
}
