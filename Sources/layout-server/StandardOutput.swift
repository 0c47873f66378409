// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes to standard output so that nothing is lost in silence.
enum StandardOutput {
  /// What kept a line from being written.
  struct Failure: Error, CustomStringConvertible {
    var code: Int32

    /// Whether whoever read it has gone, which is not an error: `layout-server --help | head -n 1`.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String {
      "cannot write to standard output: \(String(cString: strerror(code)))"
    }
  }

  static func write(line: String) throws(Failure) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw Failure(code: errno)
      }
    }
  }
}

/// `write`, which has the name of the method that calls it.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}
