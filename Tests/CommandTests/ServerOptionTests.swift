// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutService
import Logging
import Testing

@testable import ServerCommand

@Suite("Options of the server", .timeLimit(.minutes(2)))
struct ServerOptionTests {
  private func read(
    _ arguments: [String] = [],
    environment: [String: String] = [:]
  ) throws -> ServerOptions {
    try ServerOptions.read(arguments: arguments, environment: environment)
  }

  /// What an operator reads, "FILE" for the file's path; nil = it was accepted.
  private func refusal(
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    file: String? = nil
  ) throws -> String? {
    var arguments = arguments
    var path = ""
    if let file {
      path = try write(file)
      arguments += ["--config", path]
    }
    defer { if file != nil { try? FileManager.default.removeItem(atPath: path) } }
    do {
      _ = try read(arguments, environment: environment)
      return nil
    } catch let error as UsageError {
      return error.description.replacingOccurrences(of: path, with: "FILE")
    }
  }

  private func write(_ text: String) throws -> String {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("options-\(UUID().uuidString).json")
    try Data(text.utf8).write(to: url)
    return url.path
  }

  @Test("the command line comes first, then the environment, then the file")
  func order() throws {
    let path = try write(
      #"{"port": 1, "maxSessions": 2, "maxItems": 3, "store": "memory", "logLevel": "debug"}"#
    )
    defer { try? FileManager.default.removeItem(atPath: path) }
    let options = try read(
      ["--port", "10", "--host=::1"],
      environment: [
        "LAYOUT_SERVER_CONFIG": path, "LAYOUT_SERVER_PORT": "20",
        "LAYOUT_SERVER_MAX_SESSIONS": "21",
      ]
    )
    #expect(options.port == 10 && options.host == "::1")
    #expect(options.service.limits.sessions == 21)
    #expect(options.service.limits.itemsPerCollection == 3)
    #expect(options.store == .memory && options.logLevel == .debug)
  }

  @Test("a text may contain commas, wherever it is set")
  func commas() throws {
    let path = "/tmp/a, b,,c.sqlite"
    #expect(try read(["--store-path", path]).storePath == path)
    #expect(try read(["--store-path=\(path)"]).storePath == path)
    #expect(try read(environment: ["LAYOUT_SERVER_STORE_PATH": path]).storePath == path)
  }

  @Test("origins of pages are a list, and each has a scheme and a host")
  func origins() throws {
    let two: Set = ["https://a.example", "http://b.example:81"]
    let text = "https://a.example, http://b.example:81"
    #expect(try read(["--web-origins", text]).web.origins == two)
    #expect(try read(environment: ["LAYOUT_SERVER_WEB_ORIGINS": text]).web.origins == two)
    #expect(try read(["--web-origins", "*"]).web.origins == ["*"])
    for wrong in ["a.example", "https://", "https://a.example/", "ftp://a.example", "https://a, b"]
    {
      let reason = "origins such as https://example.com, separated by commas, or * are needed"
      #expect(
        try refusal(["--web-origins", wrong]) == "--web-origins: \"\(wrong)\" found; \(reason)"
      )
    }
  }

  @Test("every option can be set from the file, and by flag and variable")
  func everyOption() throws {
    for number in ServerOptions.numbers {
      let value = number.range.lowerBound + 1
      let path = try write("{\"\(number.key)\": \(value)}")
      defer { try? FileManager.default.removeItem(atPath: path) }
      for options in [
        try read(["--config", path]),
        try read([ServerOptions.flag(of: number.key), "\(value)"]),
        try read(environment: [ServerOptions.variable(of: number.key): "\(value)"]),
      ] {
        #expect(number.get(options) == value, "\(number.key)")
      }
    }
  }

  @Test("the defaults are allowed, and the help names every flag")
  func defaults() throws {
    let options = try read()
    for number in ServerOptions.numbers { #expect(number.range.contains(number.get(options))) }
    let help = ServerOptions.help(command: "layout-server")
    for flag in ServerOptions.flags { #expect(help.contains("  \(flag) ")) }
  }

  @Test("every limit of calls can be set")
  func callLimits() throws {
    var options = try read()
    for number in ServerOptions.numbers { number.set(&options, number.range.lowerBound + 1) }
    let (set, defaults) = (
      Mirror(reflecting: options.service.calls), Mirror(reflecting: CallLimits())
    )
    for (limit, before) in zip(set.children, defaults.children) {
      #expect("\(limit.value)" != "\(before.value)", "\(limit.label ?? "")")
    }
  }

  @Test("a key of the file that is no option is named with the file and what is allowed")
  func unknownKeys() throws {
    let one = try #require(try refusal(file: #"{"port": 1, "maxSesions": 5}"#))
    let start =
      "configuration file FILE: unknown key \"maxSesions\" (did you mean \"maxSessions\"?); "
      + "allowed are adminHost, "
    #expect(one.hasPrefix(start))
    for key in ServerOptions.textKeys.map(\.key) + ServerOptions.numbers.map(\.key)
    where key != "config" {
      #expect(one.contains(" \(key)"))
    }
    let two = try #require(try refusal(file: #"{"zzz": 1, "config": "b"}"#))
    #expect(
      two.hasPrefix("configuration file FILE: unknown keys \"config\", \"zzz\"; allowed are ")
    )
  }

  @Test(
    "a value of a wrong type is named with its key, the file and what is needed",
    arguments: [
      (#"{"port": "80"}"#, #""port" is the string "80"; a whole number is needed"#),
      (#"{"port": 1.5}"#, #""port" is the number 1.5; a whole number is needed"#),
      (#"{"maxItems": true}"#, #""maxItems" is true; a whole number is needed"#),
      (#"{"host": 5}"#, #""host" is the number 5; a string is needed"#),
      (#"{"host": ["a"]}"#, #""host" is a list; a string is needed"#),
      (#"{"store": null}"#, #""store" is null; a string is needed"#),
      (#"{"storePath": {"a": 1}}"#, #""storePath" is an object; a string is needed"#),
      (
        #"{"maxSessions": 1e400}"#,
        #""maxSessions" is a number that is too large; a whole number is needed"#
      ),
      (String(repeating: " ", count: 1 << 20) + "{}", "it has more than 1048576 bytes"),
      ("[1]", #"a JSON object is needed, such as {"port": 50051}"#),
      (#"{"port": 1,,}"#, "it is not JSON: Invalid value around character 10."),
      ("", "it is not JSON: Unexpected end of file during JSON parse."),
    ]
  )
  func wrongTypes(file: String, reason: String) throws {
    let refusal = try #require(try refusal(file: file))
    if reason.hasPrefix("it is not JSON") {
      // How the place is told differs from system to system.
      #expect(refusal.hasPrefix("configuration file FILE: it is not JSON: "))
    } else {
      #expect(refusal == "configuration file FILE: \(reason)")
    }
  }

  @Test("a value beyond its range is named as it was given")
  func ranges() throws {
    let allowed = "99999 found; 0 to 65535 are allowed"
    #expect(try refusal(["--port=99999"]) == "--port: \(allowed)")
    #expect(
      try refusal(environment: ["LAYOUT_SERVER_PORT": "99999"]) == "LAYOUT_SERVER_PORT: \(allowed)"
    )
    #expect(
      try refusal(file: #"{"port": 99999}"#)
        == "\"port\" in the configuration file FILE: \(allowed)"
    )
  }

  @Test("a variable that names no option is refused, with a similar one if there is one")
  func unknownVariables() throws {
    #expect(
      try refusal(environment: ["LAYOUT_SERVER_BOGUS": "1"])
        == "unknown variable LAYOUT_SERVER_BOGUS"
    )
    #expect(
      try refusal(environment: ["LAYOUT_SERVER_MAX_SESIONS": "1"])
        == "unknown variable LAYOUT_SERVER_MAX_SESIONS; did you mean LAYOUT_SERVER_MAX_SESSIONS?"
    )
  }

  @Test(
    "arguments that mean nothing are refused in one line",
    arguments: [
      (["--prot", "1"], "unknown flag --prot; did you mean --port?"),
      (["--frobnicate", "1"], "unknown flag --frobnicate"),
      (["-p", "1"], "unexpected argument \"-p\"; flags begin with --"),
      (["--port"], "--port needs a value"),
      (["--port", "--host"], "--port needs a value"),
      (["--port", "1", "--port=2"], "--port is given twice"),
      (["--port", "abc"], "--port: \"abc\" found; a whole number is needed"),
      (
        ["--store", "redis"],
        "--store: \"redis\" found; sqlite, memory and postgresql://user@host/database are allowed"
      ),
      (
        ["--store", "mysql://user:secret@host/database"],
        "--store: a connection string of another kind found; sqlite, memory and "
          + "postgresql://user@host/database are allowed"
      ),
      (
        ["--store-notifications", "no"],
        "--store-notifications: \"no\" found; true and false are allowed"
      ),
      (
        ["--resume-secret", String(repeating: "\u{FFFD}", count: 6)],
        "--resume-secret: bytes that are not UTF-8 found"
      ),
      (["--store-path", "a\u{FFFD}.sqlite"], "--store-path: bytes that are not UTF-8 found"),
      (["--resume-secret", "short"], "--resume-secret: at least 16 bytes are needed"),
      (["--config", "/nowhere.json"], "configuration file /nowhere.json: there is no such file"),
      (
        ["--admin-host", "0.0.0.0"],
        "--admin-host: \"0.0.0.0\" found; a loopback address is needed, such as 127.0.0.1"
      ),
      (["--log-format", "xml"], "--log-format: \"xml\" found; text and json are allowed"),
      (
        ["--host", "localhost"],
        "--host: \"localhost\" found; an IPv4 or IPv6 address of this machine is needed, such as "
          + "127.0.0.1"
      ),
    ]
  )
  func arguments(arguments: [String], reason: String) throws {
    #expect(try refusal(arguments) == reason)
  }
}
