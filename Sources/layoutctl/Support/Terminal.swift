// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The standard streams of the process, and its terminal if it has one.
enum Terminal {
  static var isErrorInteractive: Bool { isatty(STDERR_FILENO) == 1 }
  static var isOutputInteractive: Bool { isatty(STDOUT_FILENO) == 1 }
  static var isInputInteractive: Bool { isatty(STDIN_FILENO) == 1 }

  /// Writes text to standard error, without a line break.
  static func writeError(_ text: String) {
    try? TextFile.write(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
  }

  /// Writes a line to standard output without buffering, so that the reader of a pipe sees it at
  /// once.
  ///
  /// - Throws: `OutputClosed` if the reader closed the pipe; `CommandFault`.
  static func writeLine(_ text: String) throws {
    try TextFile.write(Array((text + "\n").utf8), to: STDOUT_FILENO, name: "standard output")
  }

  /// Ignores SIGPIPE, so that a write to a closed pipe returns an error instead of ending the
  /// process.
  static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

  static func fail(_ fault: CommandFault) -> Never {
    writeError("layoutctl: \(fault)\n")
    exit(fault.status.rawValue)
  }

  /// The size of the terminal on standard output, in characters; nil = it is not a terminal.
  static var outputSize: (columns: Int, rows: Int)? {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Runs `body` on the alternate screen without a cursor, and restores the screen afterwards.
  static func withWholeScreen<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let restore: @Sendable () -> Void = { try? writeText("\u{1B}[?25h\u{1B}[?1049l") }
    let cleanup = Interruption.shared.addCleanup(restore)
    defer {
      Interruption.shared.removeCleanup(cleanup)
      restore()
    }
    try writeText("\u{1B}[?1049h\u{1B}[?25l")
    return try await body()
  }

  /// Writes text to standard output without a line break.
  static func writeText(_ text: String) throws {
    try TextFile.write(Array(text.utf8), to: STDOUT_FILENO, name: "standard output")
  }

  /// Runs `body` with the terminal in raw mode: keys are delivered at once and not echoed, Ctrl-C
  /// among them. Restores the terminal afterwards.
  static func withRawInput<Result>(_ body: () async throws -> Result) async throws -> Result {
    var saved = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0 else {
      throw CommandFault("keys need a terminal on standard input; see --script and --through")
    }
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    // Reads do not block: they return nothing if no key was pressed.
    unsafe withUnsafeMutableBytes(of: &raw.c_cc) { bytes in
      unsafe bytes[Int(VMIN)] = 0
      unsafe bytes[Int(VTIME)] = 0
    }
    let restore: @Sendable () -> Void = { [saved] in
      unsafe withUnsafePointer(to: saved) { unsafe _ = tcsetattr(STDIN_FILENO, TCSANOW, $0) }
    }
    let cleanup = Interruption.shared.addCleanup(restore)
    defer {
      Interruption.shared.removeCleanup(cleanup)
      restore()
    }
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    return try await body()
  }

  /// The bytes that were typed since the last call. Use this only within `withRawInput`.
  static func readTyped() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }
}
