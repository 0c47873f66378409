// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutClient
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The token that a program prints. The program is started without a shell, and again before the
/// token expires.
struct CommandToken: TokenProvider {
  private let command: [String]
  /// How long the program may take.
  private let patience: Duration
  /// How long a token is used if its expiry is unknown.
  private static let lifetime: TimeInterval = 300
  /// The most bytes that the program may print.
  private static let longest = 16_384

  /// - Parameter command: the program, then its arguments.
  init(_ command: [String], patience: Duration = .seconds(30)) {
    self.command = command
    self.patience = patience
  }

  /// - Throws: `CommandFault` that names the program; `CancellationError`, once the program was
  ///   ended.
  func token() async throws -> AccessToken {
    let text = try await output.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21 ... 0x7e).contains($0) }) else {
      throw fault("printed no token: one line of visible characters is needed")
    }
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
      let isCancelled = Flag()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          queue.async { continuation.resume(with: Result { try run(until: isCancelled) }) }
        }
      } onCancel: {
        isCancelled.set()
      }
    }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  private func run(until isCancelled: Flag) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--"] + command
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch { throw fault("cannot be started: \(error)") }
    var output = PipeOutput(pipe.fileHandleForReading.fileDescriptor, atMost: Self.longest)
    let program = process.processIdentifier
    // A signal of the terminal does not reach it: Foundation gives it a group of its own.
    let cleanup = Interruption.shared.addCleanup { Self.kill(program) }
    defer { Interruption.shared.removeCleanup(cleanup) }
    let limit = ContinuousClock.now + patience
    var end = Self.end(of: process, waits: false)
    while end == nil, !output.isTooLong, !isCancelled.isSet, .now < limit {
      output.wait()
      end = Self.end(of: process, waits: false)
    }
    let isOverdue = end == nil
    if isOverdue {
      Self.kill(program)
      end = Self.end(of: process, waits: true)
    }
    // What it started may still have the pipe, and is not waited for.
    output.readWhatIsThere()
    if isCancelled.isSet { throw CancellationError() }
    guard !output.isTooLong else { throw fault("printed more than \(Self.longest.grouped) bytes") }
    guard !isOverdue else {
      throw fault("was ended: it took more than \((patience / .seconds(1)).text()) s")
    }
    try check(end ?? 0)
    return String(decoding: output.bytes, as: UTF8.self)
  }

  /// Ends a program and what it started. It was running a moment ago: numbers of programs that have
  /// ended are not used again so soon.
  private static func kill(_ program: Int32) {
    #if canImport(Darwin)
    if Darwin.kill(-program, SIGKILL) != 0 { _ = Darwin.kill(program, SIGKILL) }
    #elseif canImport(Musl)
    if Musl.kill(-program, SIGKILL) != 0 { _ = Musl.kill(program, SIGKILL) }
    #else
    if Glibc.kill(-program, SIGKILL) != 0 { _ = Glibc.kill(program, SIGKILL) }
    #endif
  }

  /// How a program ended, as `waitpid` says; nil = it runs. Foundation notices an end only when
  /// all have ended that the program started.
  private static func end(of process: Process, waits: Bool) -> Int32? {
    let program = process.processIdentifier
    var status: Int32 = 0
    var found = unsafe waitpid(program, &status, waits ? 0 : WNOHANG)
    while found < 0, errno == EINTR {
      found = unsafe waitpid(program, &status, waits ? 0 : WNOHANG)
    }
    guard found < 0 else { return found == program ? status : nil }
    // Foundation was faster, and knows the status.
    process.waitUntilExit()
    let known = process.terminationStatus
    return process.terminationReason == .exit ? known << 8 : known
  }

  /// - Parameter end: the signal in the lower 7 bits, the exit status in the next 8.
  private func check(_ end: Int32) throws {
    let (signal, status) = (end & 0x7f, end >> 8 & 0xff)
    guard signal == 0 else { throw fault("was ended by signal \(signal)") }
    guard status == 0 else { throw fault("failed with status \(status)") }
  }
}

/// What a program has written to a pipe. Nothing here waits for the pipe to be closed.
private struct PipeOutput {
  private(set) var bytes: [UInt8] = []
  private(set) var isTooLong = false
  private let descriptor: Int32
  private let limit: Int
  private var isAtEnd = false

  private static let pause: Int32 = 10

  init(_ descriptor: Int32, atMost limit: Int) {
    self.descriptor = descriptor
    self.limit = limit
  }

  /// Reads once something is there, or waits for a moment.
  mutating func wait() { _ = readPart(within: Self.pause) }

  mutating func readWhatIsThere() { while !isTooLong, readPart(within: 0) {} }

  /// - Parameter milliseconds: how long to wait for something to read.
  /// - Returns: whether something was read.
  private mutating func readPart(within milliseconds: Int32) -> Bool {
    guard !isAtEnd else {
      // The program may go on without its output.
      poll(nil, 0, milliseconds)
      return false
    }
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waited, 1, milliseconds) > 0 else { return false }
    var part = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &part, part.count)
    guard count > 0 else {
      isAtEnd = count == 0 || errno != EINTR
      return false
    }
    isTooLong = count > limit - bytes.count
    bytes += part.prefix(min(count, limit - bytes.count))
    return true
  }
}
