// SPDX-License-Identifier: Apache-2.0

import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What a process has to arrange before it serves.
enum ProcessSetup {
  /// More descriptors than that are never needed: a connection needs one.
  private static let enoughDescriptors: rlim_t = 1 << 20

  /// Takes signals away from their defaults, which would end the server without a word to its
  /// clients: a closed pipe is an error of a write, SIGUSR1 and SIGUSR2 mean nothing.
  static func ignoreSignals() {
    for number in [SIGPIPE, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
  }

  /// The signals that end the server politely. A terminal that closes sends SIGHUP, which `nohup`
  /// has the process ignore; then it stays ignored.
  static func shutdownSignals() -> [UnixSignal] {
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    let before = unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self)
    return before == ignored ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
  }

  /// Has signals end the process with success until somebody else handles them: as long as nothing is
  /// served, nothing has to be finished. To open a large store, or one that is locked, takes a while.
  static func exit(on signals: [UnixSignal]) {
    let numbers: [(UnixSignal, Int32)] = [
      (.sigterm, SIGTERM), (.sigint, SIGINT), (.sighup, SIGHUP),
    ]
    for (name, number) in numbers where signals.contains(name) {
      // Nothing else may be called in a handler of signals.
      signal(number) { _ in _exit(EXIT_SUCCESS) }
    }
  }

  /// Makes the timers of Swift's tasks, which need file descriptors of their own: the process ends
  /// where it needs the first of them while there are none left.
  static func makeTimers() async {
    try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
    try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
  }

  /// How many connections a process may have that may open so many files, some of which it needs
  /// for itself.
  static func connections(of wanted: Int, files: Int) -> Int {
    max(1, min(wanted, files - min(64, files / 2)))
  }

  /// Raises the limit of open files as far as the process may.
  ///
  /// - Returns: the limit from now on; nil = the system does not say.
  @discardableResult
  static func raiseDescriptorLimit() -> Int? {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let wanted = min(limit.rlim_max, enoughDescriptors)
    if limit.rlim_cur < wanted {
      var raised = limit
      raised.rlim_cur = wanted
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  #if canImport(Glibc)
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
  private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}
