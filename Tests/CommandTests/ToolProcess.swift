// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `layoutctl` in a process of its own, for what a process has one of: its signals and variables.
enum ToolProcess {
  struct End: Sendable {
    /// The exit status, or the number of the signal.
    var status: Int32
    var isSignal: Bool
    /// What was written to standard error.
    var errors: String
  }

  /// The program.
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("layoutctl")

  /// Runs the tool to its end.
  ///
  /// - Parameters:
  ///   - program: another program, such as a shell that starts the tool.
  ///   - input: the beginning of standard input, which goes on without an end; nil = that of the
  ///     test.
  ///   - variables: in place of the user's.
  ///   - started: gets the identifier of the process.
  static func run(
    _ arguments: [String],
    program: URL = path,
    input: String? = nil,
    variables: [String: String] = [:],
    started: @escaping @Sendable (Int32) -> Void = { _ in }
  ) async throws -> End {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let inputs = Pipe()
    if let input {
      process.standardInput = inputs
      try inputs.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    }
    defer { withExtendedLifetime(inputs) {} }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    process.environment = ["HOME": "/nowhere", "PATH": path].merging(variables) { $1 }
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        continuation.resume(
          returning: End(
            status: process.terminationStatus,
            isSignal: process.terminationReason == .uncaughtSignal,
            errors: String(decoding: text, as: UTF8.self)
          )
        )
      }
      do {
        try process.run()
        started(process.processIdentifier)
      } catch { continuation.resume(throwing: error) }
    }
  }
}
