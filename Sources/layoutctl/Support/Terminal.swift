// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The process's own terminal, where it has one.
enum Terminal {
  static var isErrorInteractive: Bool { isatty(STDERR_FILENO) == 1 }
  static var isInputInteractive: Bool { isatty(STDIN_FILENO) == 1 }

  /// Writes to standard error, as it is.
  static func writeError(_ text: String) {
    try? TextFile.write(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
  }

  /// Writes to standard output at once, so that a pipe sees it as it happens.
  ///
  /// - Throws: `OutputClosed` where nobody reads it any more, `CommandFault`.
  static func writeLine(_ text: String) throws {
    try TextFile.write(Array((text + "\n").utf8), to: STDOUT_FILENO, name: "standard output")
  }

  /// Whoever closes a pipe learns nothing from a signal: writing says so instead.
  static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

  static func fail(_ fault: CommandFault) -> Never {
    writeError("layoutctl: \(fault)\n")
    exit(fault.status.rawValue)
  }

  /// Runs `body` with keys handed over one by one, unseen; sets the terminal right afterwards.
  static func withRawInput<Result>(_ body: () async throws -> Result) async throws -> Result {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else {
      throw CommandFault("keys need a terminal on standard input; see --script and --through")
    }
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // Reading returns at once, with nothing where no key was pressed.
    withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
      bytes[Int(VMIN)] = 0
      bytes[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    defer { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
    return try await body()
  }

  /// What was typed since; empty = nothing. In raw input only.
  static func readTyped() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }
}
