// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A temporary file that is removed if the user or the system ends the command meanwhile. The
/// command then ends by that signal, as it would without this.
final class InterruptedFile: Sendable {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  /// The files that exist now.
  private static let files = Mutex<Set<String>>([])

  private let path: String
  private let sources: Mutex<[any DispatchSourceSignal]>

  init(_ path: String) {
    self.path = path
    Self.files.withLock { _ = $0.insert(path) }
    sources = Mutex(
      Self.signals.map { number in
        // Otherwise the signal ends the process before the source hears of it.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { Self.end(by: number) }
        source.activate()
        return source
      }
    )
  }

  /// Leaves the file to its owner. Signals have their usual effect again after the last file.
  func release() {
    let isLast = Self.files.withLock { files in
      files.remove(path)
      return files.isEmpty
    }
    let taken = sources.withLock { sources in
      defer { sources = [] }
      return sources
    }
    for source in taken { source.cancel() }
    if isLast, !taken.isEmpty { for number in Self.signals { signal(number, SIG_DFL) } }
  }

  private static func end(by number: Int32) {
    for path in files.withLock({ $0 }) { TextFile.remove(path) }
    signal(number, SIG_DFL)
    // Dispatch's threads block signals, and a parent may have blocked them for all threads.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
