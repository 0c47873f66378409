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

  /// Runs the tool to its end.
  ///
  /// - Parameters:
  ///   - variables: in place of the user's.
  ///   - started: gets the identifier of the process.
  static func run(
    _ arguments: [String],
    variables: [String: String] = [:],
    started: @escaping @Sendable (Int32) -> Void = { _ in }
  ) async throws -> End {
    let process = Process()
    let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = binaries.appendingPathComponent("layoutctl")
    process.arguments = arguments
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
