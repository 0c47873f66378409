// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutClient

/// The token that a program prints. The program is started without a shell, and again before the
/// token expires.
struct CommandToken: TokenProvider {
  private let command: [String]
  /// How long the program may take.
  private let patience: Duration
  /// How long a token is used if its expiry is unknown.
  private static let lifetime: TimeInterval = 300
  private static let longest = 16_384

  /// - Parameter command: the program, then its arguments.
  init(_ command: [String], patience: Duration = .seconds(30)) {
    self.command = command
    self.patience = patience
  }

  /// - Throws: `CommandFault` that names the program.
  func token() async throws -> AccessToken {
    let text = try await output.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.count <= Self.longest,
      text.utf8.allSatisfy({ (0x21 ... 0x7e).contains($0) })
    else { throw fault("printed no token: one line of visible characters is needed") }
    let token = AccessToken(text)
    return AccessToken(text, expiry: token.expiry ?? Date(timeIntervalSinceNow: Self.lifetime))
  }

  private func fault(_ reason: String) -> CommandFault {
    CommandFault("the token command \(command.first ?? "") \(reason)")
  }

  private var output: String {
    get async throws {
      // On its own thread, because it waits for the program.
      let queue = DispatchQueue(label: "token-command")
      return try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result { try run() }) }
      }
    }
  }

  private func run() throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--"] + command
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch { throw fault("cannot be started: \(error)") }
    let identifier = process.processIdentifier
    let limit = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + patience / .seconds(1),
      execute: limit
    )
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    limit.cancel()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let status = process.terminationStatus
      throw fault(
        process.terminationReason == .exit
          ? "failed with status \(status)" : "was ended by signal \(status)"
      )
    }
    return String(decoding: data, as: UTF8.self)
  }
}
