// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Dispatch
import Foundation
import Synchronization

/// Writes the lines of a log to a file, a terminal or a pipe, without ever making the caller wait.
///
/// A line is written at once if the reader has room for it, so that none is lost if the process
/// ends. If the reader is slow, lines wait for a thread of their own; beyond a limit they are
/// dropped, and a line says how many were.
final class LogOutput: Sendable {
  private struct State {
    var waiting: Deque<[UInt8]> = []
    var waitingBytes = 0
    var dropped = 0
    /// Whether the thread writes, or is about to.
    var isWriting = false
  }

  /// The most bytes of lines that wait.
  static let limit = 1 << 20
  /// A pipe that can be written to has room for as many bytes.
  private static let pipeRoom = 4096

  private let file: Int32
  private let state = Mutex(State())
  private let writer = DispatchQueue(label: "log")

  /// - Parameter file: the descriptor; it stays open.
  init(file: Int32) { self.file = file }

  /// Writes a line with its end, or has it written later. Lines stay in order, and those of several
  /// threads do not mix.
  func write(_ line: [UInt8]) {
    let startsWriter = state.withLock { state in
      if !state.isWriting, line.count <= Self.pipeRoom, hasRoom {
        var count = writeBytes(file, line[...])
        if count < 0, errno == EAGAIN || errno == EINTR { count = 0 }
        // A failure cannot be reported.
        guard count >= 0, count < line.count else { return false }
        state.waiting.append(Array(line[count...]))
        state.waitingBytes += line.count - count
      } else if state.waitingBytes + line.count > Self.limit {
        state.dropped += 1
      } else {
        state.waiting.append(line)
        state.waitingBytes += line.count
      }
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if startsWriter { writer.async { self.writeWaiting() } }
  }

  /// Whether a write of up to `pipeRoom` bytes returns at once.
  private var hasRoom: Bool {
    var request = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 0) == 1
  }

  /// Writes what waits, as fast as the reader takes it.
  private func writeWaiting() {
    while let line = next() {
      var rest = line[...]
      while !rest.isEmpty {
        let count = writeBytes(file, rest)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var request = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          _ = unsafe poll(&request, 1, -1)
        } else if errno != EINTR {
          break
        }
      }
    }
  }

  /// The next line that waits; nil = none does, and later ones are written at once.
  private func next() -> [UInt8]? {
    state.withLock { state in
      if let line = state.waiting.popFirst() {
        state.waitingBytes -= line.count
        return line
      }
      guard state.dropped > 0 else {
        state.isWriting = false
        return nil
      }
      defer { state.dropped = 0 }
      return Array("\(state.dropped) lines of the log were dropped: its reader is too slow\n".utf8)
    }
  }
}

/// Calls the system's `write`, whose name the method above hides.
private func writeBytes(_ file: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
  unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
}
