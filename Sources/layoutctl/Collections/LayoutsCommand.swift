// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

/// The named layouts of a collection.
struct LayoutsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layouts",
    abstract: "Creates, prints, updates and deletes named layouts.",
    discussion: """
      Named layouts are kept on the server beside a collection. Viewers who use one by its name see each \
      update of it.

        layoutctl layouts create artworks wall --layout '{"waterfall":{"columnCount":4}}'
        layoutctl watch artworks --layout-name wall
        layoutctl layouts update artworks wall --layout flow --animated
      """,
    subcommands: [Create.self, Get.self, List.self, Update.self, Delete.self]
  )

  /// The collection and the layout that a command applies to.
  struct Subject: ParsableArguments {
    @Argument(help: "The collection, by its identifier.", completion: .collections)
    var collection: String

    @Argument(help: "The layout, by its identifier.", completion: .namedLayouts)
    var layout: String

    var parent: String { CollectionArgument.name(of: collection) }
    var name: String { LayoutNameArgument.name(of: layout, in: collection) }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Creates a named layout.")

    @OptionGroup var subject: Subject

    @Option(
      help: ArgumentHelp("\(LayoutArgument.help)", valueName: "layout"),
      completion: .layoutKinds
    )
    var layout: LayoutArgument

    @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
    var displayName = ""

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      let spec = try layout.spec()
      let created = try await connection.connect {
        try await $0.createLayout(
          spec,
          id: LayoutNameArgument.identifier(of: subject.layout),
          of: subject.parent,
          displayName: displayName
        )
      }
      try Terminal.writeLine("created \(created.name.printable)")
    }
  }

  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a named layout as a LayoutSpec in protobuf JSON."
    )

    @OptionGroup var subject: Subject

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      let found = try await connection.connect { try await $0.layout(named: subject.name) }
      try Terminal.writeLine(try found.layoutMessage.json())
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the named layouts of a collection."
    )

    @Argument(help: "The collection, by its identifier.", completion: .collections)
    var collection: String

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      let name = CollectionArgument.name(of: collection)
      let layouts = try await connection.connect { try await $0.listLayouts(of: name) }
      var table = TextTable([.init("LAYOUT"), .init("KIND"), .init("ETAG"), .init("NAME")])
      for layout in layouts {
        table.append([
          LayoutNameArgument.identifier(of: layout.name),
          layout.layoutMessage.kindName,
          layout.etag,
          layout.displayName,
        ])
      }
      try Terminal.writeLine(table.text)
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Updates a named layout, and what all viewers see who use it."
    )

    @OptionGroup var subject: Subject

    @Option(
      help: ArgumentHelp("\(LayoutArgument.help)", valueName: "layout"),
      completion: .layoutKinds
    )
    var layout: LayoutArgument?

    @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
    var displayName: String?

    @Flag(help: "Ask renderers to animate the change.")
    var animated = false

    @Option(help: "Update only if the layout still has this etag.")
    var etag = ""

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      let spec = try layout?.spec()
      let updated = try await connection.connect {
        try await $0.updateLayout(
          subject.name,
          to: spec,
          displayName: displayName,
          isAnimated: animated,
          etag: etag
        )
      }
      try Terminal.writeLine("updated \(updated.name.printable), etag \(updated.etag.printable)")
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deletes a named layout; viewers who use it keep what they have."
    )

    @OptionGroup var subject: Subject

    @Option(help: "Delete only if the layout still has this etag.")
    var etag = ""

    @Flag(help: "Succeed if there is no such layout.")
    var allowMissing = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      try await connection.connect {
        try await $0.deleteLayout(subject.name, etag: etag, allowMissing: allowMissing)
      }
      try Terminal.writeLine("deleted \(subject.name)")
    }
  }
}
