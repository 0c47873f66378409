// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutClient
import LayoutProtocol
import ServerTesting
import Synchronization
import Testing
import TrustTesting

@testable import layoutctl

@Suite("Tokens", .timeLimit(.minutes(2)))
struct TokenTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: - Programs

  @Test("what a token command leaves running is not waited for, though it has the pipe")
  func background() async throws {
    let start = ContinuousClock.now
    let token = try await CommandToken(["sh", "-c", "sleep 25 & echo tok"]).token()
    #expect(token.value == "tok")
    #expect(start.duration(to: .now) < .seconds(15))
  }

  @Test("of a token command only so much is read as a token may have, and it is ended then")
  func endless() async throws {
    let start = ContinuousClock.now
    let fault = await #expect(throws: CommandFault.self) {
      try await CommandToken(["sh", "-c", "yes | tr -d '\\n'"]).token()
    }
    #expect(fault?.message == "the token command sh printed more than 16,384 bytes")
    #expect(start.duration(to: .now) < .seconds(15))
  }

  @Test("a token command that closes its output and goes on is ended in time")
  func silent() async throws {
    let command = CommandToken(
      ["sh", "-c", "echo tok; exec >&-; exec sleep 25"],
      patience: .milliseconds(300)
    )
    let fault = await #expect(throws: CommandFault.self) { try await command.token() }
    #expect(fault?.message.contains("it took more than 0.3 s") == true, "\(fault?.message ?? "")")
  }

  @Test("a token command ends with the task that waits for it")
  func cancelled() async throws {
    let start = ContinuousClock.now
    let task = Task { try await CommandToken(["sleep", "25"]).token() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(start.duration(to: .now) < .seconds(15))
  }

  // MARK: - Before the connection

  /// Counts how often it is asked.
  private final class CountedTokens: TokenProvider {
    let count = Mutex(0)

    func token() -> AccessToken {
      let number = count.withLock {
        $0 += 1
        return $0
      }
      return AccessToken("\(number)")
    }
  }

  @Test("the token that was asked for before the connection is the one that is sent first")
  func prepared() async throws {
    let counted = CountedTokens()
    let tokens = CheckedTokens(counted, from: "--token-file")
    try await tokens.prepare()
    #expect(try await tokens.token().value == "1")
    #expect(try await tokens.token().value == "2")
    #expect(counted.count.withLock { $0 } == 2)
  }

  @Test("a token command is ended with the tool")
  func endedWithTool() async throws {
    let mark = folder.path("mark")
    let config = try folder.write(
      #"{"current": "a", "contexts": {"a": {"server": "127.0.0.1:1", "tokenCommand":"#
        + #" ["sh", "-c", "echo > \#(mark); kill -TERM $PPID; sleep 60"]}}}"#,
      to: "config.json"
    )
    let start = ContinuousClock.now
    let end = try await ToolProcess.run(["list"], variables: ["LAYOUTCTL_CONFIG": config])
    #expect(end.isSignal && end.status == SIGTERM, "\(end)")
    #expect(try TextFile.read(mark).count == 1)
    // Both have the same standard error, which is open until both have ended.
    #expect(start.duration(to: .now) < .seconds(30))
  }

  private func fault(_ arguments: [String]) async -> CommandFault? {
    await #expect(throws: CommandFault.self) {
      try await ScriptedServer.run([]) { port in
        try await runCommand(["list", "--server", "127.0.0.1:\(port)"] + arguments)
      }
    }
  }

  @Test(
    "a token that a header cannot have is refused with its option",
    arguments: ["a\nb", "a\u{7}"]
  )
  func characters(token: String) async throws {
    let path = try folder.write(token + "\n", to: "token")
    let fault = await fault(["--token-file", path])
    #expect(fault?.message.hasPrefix("--token-file: the token has a line break") == true)
    #expect(fault?.status == .usage)
  }

  @Test("a token file that is missing is named with its option, as wrong usage")
  func missing() async throws {
    let fault = await fault(["--token-file", folder.path("none")])
    let text = "--token-file: the token file \(folder.path("none")) cannot be read"
    #expect(fault?.message == text)
    #expect(fault?.status == .usage)
  }

  @Test("a token command that fails runs once, and its failure is said once")
  func failing() async throws {
    let runs = folder.path("runs")
    let config = try folder.write(
      #"{"current": "a", "contexts": {"a": {"server": "127.0.0.1:1", "tokenCommand":"#
        + #" ["sh", "-c", "echo run >> \#(runs); exit 3"]}}}"#,
      to: "config.json"
    )
    let end = try await ToolProcess.run(["list"], variables: ["LAYOUTCTL_CONFIG": config])
    #expect(
      end.errors
        == "layoutctl: the context's tokenCommand: the token command sh failed with status 3\n"
    )
    #expect(end.status == 1 && !end.isSignal)
    #expect(try TextFile.readText(runs) == "run\n")
  }
}
