// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LayoutProtocol

struct ContextsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contexts",
    abstract: "Lists servers by name, with what is needed to reach them, and chooses one.",
    discussion: """
      layoutctl contexts use production

      Contexts are in the file that LAYOUTCTL_CONFIG names, or in layoutctl/config.json in the user's folder \
      for configurations (XDG_CONFIG_HOME, by default ~/.config).
      """,
    subcommands: [List.self, Use.self, Show.self],
    defaultSubcommand: List.self
  )

  private static func read() throws -> ContextFile {
    try ContextFile.read(ProcessInfo.processInfo.environment)
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the contexts; * marks the current one."
    )

    func run() async throws {
      let file = try ContextsCommand.read()
      guard !file.contexts.isEmpty else {
        return try Terminal.writeLine("there are no contexts in \(file.path.printable)")
      }
      try Terminal.writeLine(Self.table(of: file).text)
    }

    static func table(of file: ContextFile) -> TextTable {
      var table = TextTable([
        .init(""), .init("CONTEXT"), .init("SERVER"), .init("ADMIN"), .init("TLS"),
        .init("CREDENTIALS"),
      ])
      for (name, context) in file.contexts.sorted(by: { $0.key < $1.key }) {
        var credentials: [String] = []
        if context.tlsCertificate != nil { credentials.append("certificate") }
        if context.tokenFile != nil { credentials.append("token file") }
        if context.tokenCommand != nil { credentials.append("token command") }
        table.append([
          name == file.current ? "*" : "", name, context.server ?? "-", context.admin ?? "-",
          context.tls ?? (context.tlsCa != nil) ? "yes" : "no",
          credentials.isEmpty ? "-" : credentials.joined(separator: ", "),
        ])
      }
      return table
    }
  }

  struct Use: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a context the current one, which counts unless another is named."
    )

    @Argument(help: "The context.", completion: .contexts) var name: String

    func run() async throws {
      var file = try ContextsCommand.read()
      try file.use(name)
      try Terminal.writeLine("\(name) is the current context in \(file.path.printable)")
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a context as JSON, by default the current one."
    )

    @Argument(help: "The context.", completion: .contexts) var name: String?

    func run() async throws {
      let file = try ContextsCommand.read()
      guard let name = name ?? file.current else {
        throw CommandFault("there is no current context; name one", status: .usage)
      }
      let context = try file.context(named: name, by: "contexts show")
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try Terminal.writeLine(String(decoding: try encoder.encode(context), as: UTF8.self))
    }
  }
}
