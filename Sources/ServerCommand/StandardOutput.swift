// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes to standard output and reports failures, unlike `print`.
enum StandardOutput {
  /// The error of a failed write.
  struct Failure: Error, CustomStringConvertible {
    var code: Int32

    /// Whether the reader closed the pipe, which is not an error:
    /// `layout-server --help | head -n 1`.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String {
      unsafe "cannot write to standard output: \(String(cString: strerror(code)))"
    }
  }

  static func write(line: String) throws(Failure) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe writeBytes(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw Failure(code: errno)
      }
    }
  }
}

/// Calls the system's `write`, whose name the method above hides.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
