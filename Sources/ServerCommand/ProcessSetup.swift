// SPDX-License-Identifier: Apache-2.0

import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Prepares the process before the server starts: signals, file descriptors and timers.
enum ProcessSetup {
  /// An upper bound for the descriptor limit. A connection needs one descriptor, so the server
  /// never needs more than this.
  private static let enoughDescriptors: rlim_t = 1 << 20

  /// Opens the standard descriptors that the starting process has closed, on the null device. The
  /// next file to be opened would get such a number, and log lines would be written into it.
  static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO ... STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // All lower descriptors are open, so this one gets the wanted number.
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }

  /// Ignores signals whose default action would end the server without notice to its clients: a
  /// write to a closed pipe returns an error instead, and SIGUSR1 and SIGUSR2 have no meaning here.
  static func ignoreSignals() {
    for number in [SIGPIPE, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
  }

  /// The signals that begin a graceful shutdown. A terminal that closes sends SIGHUP; if `nohup`
  /// made the process ignore SIGHUP, it stays ignored.
  ///
  /// - Parameter reloads: whether SIGHUP reloads files instead. Then it is ignored until
  ///   `ReloadService` runs.
  static func shutdownSignals(reloads: Bool) -> [UnixSignal] {
    let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
    let before = unsafe unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self)
    return reloads || before == ignored ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
  }

  /// Makes signals end the process with status 0 until something else handles them. Nothing has to
  /// be finished before the server serves, and opening a large or locked store can take a while.
  static func exit(on signals: [UnixSignal]) {
    let numbers: [(UnixSignal, Int32)] = [
      (.sigterm, SIGTERM), (.sigint, SIGINT), (.sighup, SIGHUP),
    ]
    for (name, number) in numbers where signals.contains(name) {
      // A signal handler must not call anything else.
      signal(number) { _ in _exit(EXIT_SUCCESS) }
    }
  }

  /// Creates the timers of Swift's concurrency runtime now, while file descriptors are available.
  /// Each needs a descriptor, and the runtime ends the process if it cannot get one.
  static func makeTimers() async {
    try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
    try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
  }

  /// How many connections the server may accept if the process may open `files` files. Up to 64
  /// files are reserved for the process itself.
  static func connections(of wanted: Int, files: Int) -> Int {
    max(1, min(wanted, files - min(64, files / 2)))
  }

  /// Raises the limit of open files as far as the process is allowed to.
  ///
  /// - Returns: the limit from now on; nil if the system does not report one.
  @discardableResult
  static func raiseDescriptorLimit() -> Int? {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
    let wanted = min(limit.rlim_max, enoughDescriptors)
    if limit.rlim_cur < wanted {
      var raised = limit
      raised.rlim_cur = wanted
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  #if canImport(Glibc)
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
  private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}
