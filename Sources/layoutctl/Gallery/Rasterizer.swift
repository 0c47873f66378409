// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Converts SVG to PNG with the program rsvg-convert, if it is installed.
struct Rasterizer {
  private static let program = "rsvg-convert"
  private static let notFound: Int32 = 127

  /// Converts a file.
  ///
  /// - Returns: false if the program is not installed.
  /// - Throws: `CommandFault` if the conversion fails.
  func convert(_ source: String, to target: String) throws -> Bool {
    let arguments = [Self.program, "--output", target, source]
    var pointers: [UnsafeMutablePointer<CChar>?] =
      unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for unsafe pointer in unsafe pointers { unsafe free(pointer) } }
    var process: pid_t = 0
    let fault = unsafe posix_spawnp(&process, Self.program, nil, nil, &pointers, environ)
    guard fault != ENOENT else { return false }
    guard fault == 0 else {
      throw unsafe CommandFault("\(Self.program): \(String(cString: strerror(fault)))")
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let code = (status >> 8) & 0xFF
    if code == Self.notFound { return false }
    guard status == 0 else { throw CommandFault("\(Self.program) failed on \(source)") }
    return true
  }
}
