// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization
import Testing

@testable import ServerCommand

@Suite("Log of the server", .timeLimit(.minutes(1)))
struct ServerLogTests {
  /// The lines of a log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ bytes: [UInt8]) {
      lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }

    var all: [String] { lines.withLock { $0 } }
  }

  private func log(
    _ format: ServerLog.Format,
    level: Logger.Level = .info
  ) -> (ServerLog, Lines) {
    let lines = Lines()
    return (ServerLog(format: format, level: level) { lines.add($0) }, lines)
  }

  @Test("a line of JSON is one object, whatever is logged")
  func json() throws {
    let (log, lines) = log(.json)
    var logger = log.logger("layout-server")
    logger[metadataKey: "session"] = "sessions/1"
    let odd = "a \"quote\", a \\, a\nbreak, \u{1} and é"
    logger.warning("\(odd)", metadata: ["list": ["1", "2"], "more": ["\n": "\(odd)"]])
    let line = try #require(lines.all.first)
    #expect(line.hasSuffix("}\n") && line.dropLast().firstIndex(of: "\n") == nil)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    )
    #expect(object["message"] as? String == odd)
    #expect(object["level"] as? String == "warning")
    #expect(object["label"] as? String == "layout-server")
    let metadata = try #require(object["metadata"] as? [String: Any])
    #expect(metadata["session"] as? String == "sessions/1")
    #expect(metadata["list"] as? [String] == ["1", "2"])
    #expect(metadata["more"] as? [String: String] == ["\n": odd])
    let time = try #require(object["time"] as? String)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
  }

  @Test("a line of text has level, label, metadata in order, source and message")
  func text() throws {
    let (log, lines) = log(.text)
    log.logger("a").info("hello", metadata: ["z": "1", "b": "2"], source: "Source")
    let line = try #require(lines.all.first)
    #expect(line.hasSuffix("Z info a: b=2 z=1 [Source] hello\n"))
  }

  @Test("the level counts for all loggers, those made before included")
  func level() {
    let (log, lines) = log(.text)
    let logger = log.logger("a")
    logger.debug("no")
    log.level = .debug
    logger.debug("yes")
    log.logger("b").debug("yes")
    log.level = .error
    logger.warning("no")
    #expect(log.level == .error && logger.logLevel == .error)
    #expect(lines.all.count == 2 && lines.all.allSatisfy { $0.hasSuffix("yes\n") })
  }
}
