// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Lets other threads wake a thread that waits for a socket.
final class WakePipe: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  /// - Returns: nil = the process may not open more files.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes the thread, or lets its next wait return at once.
  func wake() {
    // A full pipe wakes as well.
    _ = unsafe write(writeEnd, [1], 1)
  }

  /// Waits until a socket is ready, or `wake` is called.
  ///
  /// - Parameters:
  ///   - socket: -1 = none.
  ///   - milliseconds: how long at most; -1 = forever.
  /// - Returns: whether the socket is ready.
  func wait(for socket: Int32, read: Bool, write: Bool, milliseconds: Int32) -> Bool {
    var events: Int16 = 0
    if read { events |= Int16(POLLIN) }
    if write { events |= Int16(POLLOUT) }
    var polls = [
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events == 0 ? -1 : socket, events: events, revents: 0),
    ]
    guard unsafe poll(&polls, 2, milliseconds) > 0 else { return false }
    if polls[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      _ = unsafe systemRead(readEnd, &bytes, bytes.count)
    }
    return polls[1].revents != 0
  }
}

/// Calls the system's `read`.
private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(file, bytes, count)
}
