// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf

/// Programs that place layouts.
struct ProviderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provider",
    abstract: "Checks and lists programs that place layouts, and registers them with a server.",
    discussion: """
      layoutctl provider check 127.0.0.1:50061
      layoutctl provider list 127.0.0.1:50061
      layoutctl provider register spiral 127.0.0.1:50061 --admin 127.0.0.1:9464
      """,
    subcommands: [
      Check.self, List.self, Describe.self, Register.self, Unregister.self, Status.self,
    ]
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the layouts of a provider.")

    @OptionGroup var options: ProviderOptions

    func run() async throws {
      let layouts = try await options.connect { try await $0.layouts() }
      var table = TextTable([
        .init("LAYOUT"), .init("SCROLLS"), .init("ITEMS", .right), .init("DESCRIPTION"),
      ])
      for layout in layouts.sorted(by: { $0.name < $1.name }) {
        let line = layout.description_p.split(whereSeparator: \.isNewline).first.map { String($0) }
        table.append([
          layout.name, layout.scrollText,
          layout.maxItems == 0 ? "any" : Int(clamping: layout.maxItems).grouped, line ?? "",
        ])
      }
      try Terminal.writeLine(table.text)
    }
  }

  struct Describe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints what a provider says of a layout, as JSON."
    )

    @OptionGroup var options: ProviderOptions

    @Argument(help: "The name of the layout.")
    var layout: String

    func run() async throws {
      let layouts = try await options.connect { try await $0.layouts() }
      guard let found = layouts.first(where: { $0.name == layout }) else {
        let names = layouts.map(\.name).sorted().joined(separator: ", ")
        throw CommandFault("the provider has no layout \(layout); it has \(names)")
      }
      try Terminal.writeLine(found.json())
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tries whether a provider keeps the rules of its contract.",
      discussion: """
        layoutctl provider check 127.0.0.1:50061 --parameters '{"size": 20}'

        Each case is a line: kept, FAILED with what was found and what is allowed, or not tried with the \
        reason. The exit code is 1 if a case failed.
        """
    )

    @OptionGroup var options: ProviderOptions

    @Option(help: "Only the layout of this name; without it, all that the provider has.")
    var layout: String?

    @Option(help: ArgumentHelp("What the layouts' parameters are.", valueName: "json"))
    var parameters: String?

    func run() async throws {
      let parameters = try parameterValues
      let layout = layout
      let failures = try await options.connect { link in
        var examination = ProviderExamination(link, parameters: parameters)
        try await examination.run(only: layout)
        return examination.failureCount
      }
      guard failures == 0 else { throw ExitCode(1) }
    }

    private var parameterValues: [String: CustomValue] {
      get throws {
        guard let parameters else { return [:] }
        let message = try? Google_Protobuf_Struct(jsonString: parameters)
        guard let values = message.flatMap({ [String: CustomValue]($0) }) else {
          throw CommandFault("--parameters: a JSON object is needed", status: .usage)
        }
        return values
      }
    }
  }
}

extension Wire.ProvidedLayout {
  fileprivate var scrollText: String {
    switch scrollAxis {
    case .vertical: "vertical"
    case .horizontal: "horizontal"
    case nil: "both"
    }
  }
}
