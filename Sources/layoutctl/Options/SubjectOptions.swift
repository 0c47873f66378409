// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionModel
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession

/// The subject of a command: a collection or contents from a file, the layout, and the viewport.
struct SubjectOptions: ParsableArguments {
  @Argument(
    help: "The collection, by its identifier, unless --contents is given.",
    completion: .collections
  )
  var collection: String?

  @Option(
    help: ArgumentHelp(
      "Use the contents in this file instead of a collection: CollectionContents in protobuf JSON; "
        + "\"-\" = standard input. Needs --layout.",
      valueName: "file"
    )
  )
  var contents: String?

  @Option(
    help: ArgumentHelp(
      "\(LayoutArgument.help) The default is the collection's default layout.",
      valueName: "layout"
    ),
    completion: .layoutKinds
  )
  var layout: LayoutArgument?

  @Option(
    help: ArgumentHelp(
      "A named layout of the collection in place of --layout, by its identifier or its full name.",
      valueName: "name"
    ),
    completion: .namedLayouts
  )
  var layoutName: String?

  @Option(help: ArgumentHelp("The size of the viewport in points.", valueName: "width x height"))
  var viewport = Size(width: 1024, height: 768)

  @Option(
    help: ArgumentHelp("The content offset: the viewport's top-left corner.", valueName: "x,y")
  )
  var offset = Point.zero

  @Option(
    help: ArgumentHelp(
      "Where a section is that scrolls orthogonally, in points along its own axis. May be repeated.",
      valueName: "section:offset"
    )
  )
  var sectionOffset: [SectionOffsetArgument] = []

  @Flag(help: "Lay out for a right-to-left environment.")
  var rightToLeft = false

  @Option(
    help: ArgumentHelp("Pixels per point, for pixel-aligned layouts.", valueName: "pixels"),
    transform: NumberArgument.parse
  )
  var displayScale = 1.0

  @OptionGroup var traits: TraitOptions

  @OptionGroup var insets: InsetOptions

  @OptionGroup var outlines: ExpansionOptions

  func validate() throws {
    guard (collection == nil) != (contents == nil) else {
      throw ValidationError("Give either a collection or --contents FILE.")
    }
    guard layoutName == nil || (layout == nil && contents == nil) else {
      throw ValidationError("--layout-name goes neither with --layout nor with --contents.")
    }
    guard contents == nil || layout != nil else {
      throw ValidationError("--contents needs --layout: contents have no default layout.")
    }
  }

  /// The full name of the named layout; nil = none.
  private var fullLayoutName: String? {
    layoutName.map { LayoutNameArgument.name(of: $0, in: collection ?? "") }
  }

  var title: String { collection ?? contents ?? "" }

  func viewportChange(offset: Point? = nil) -> ViewportChange {
    ViewportChange(
      offset: offset ?? self.offset,
      size: viewport,
      insets: insets.contentInsets,
      sectionOffsets: Dictionary(
        sectionOffset.map { ($0.section, $0.offset) },
        uniquingKeysWith: { _, last in last }
      ),
      traits: .init(
        displayScale: displayScale,
        isRightToLeft: rightToLeft,
        stated: traits.value
      ),
      safeAreaInsets: insets.safeArea,
      layoutMargins: insets.layoutMargins,
      readableContentWidth: insets.readableWidth
    )
  }

  /// The subject as the target of queries.
  func target(offset: Point? = nil) throws -> Wire.LayoutTarget {
    var target = Wire.LayoutTarget()
    if let contents {
      target.inlineContents = try Wire.CollectionContents(
        json: TextFile.read(contents),
        of: contents
      )
    } else {
      target.collection = CollectionArgument.name(of: collection ?? "")
    }
    if let layout { target.layout = try layout.spec() }
    if let fullLayoutName { target.layoutName = fullLayoutName }
    target.viewport = Wire.ViewportChange(viewportChange(offset: offset))
    if !outlines.value.isDefault { target.expansions = Wire.ExpansionState(outlines.value) }
    return target
  }

  /// The subject as the configuration of a session.
  func viewerConfiguration() throws -> ViewerConfiguration {
    let source: ViewerConfiguration.Source
    if let contents {
      let message = try Wire.CollectionContents(json: TextFile.read(contents), of: contents)
      var reader = FieldReader()
      let values = reader.contents(message, limits: ContentsLimits())
      try reader.finish()
      source = .contents(values)
    } else {
      source = .collection(CollectionArgument.name(of: collection ?? ""))
    }
    var configuration = ViewerConfiguration(source: source, viewport: viewportChange())
    configuration.layoutMessage = try layout?.spec()
    configuration.layoutName = fullLayoutName
    configuration.expansions = outlines.value
    return configuration
  }
}

enum LayoutNameArgument {
  /// The name "collections/{collection}/layouts/{layout}" for an identifier. A full name is
  /// returned unchanged.
  static func name(of text: String, in collection: String) -> String {
    text.contains("/") ? text : "\(CollectionArgument.name(of: collection))/layouts/\(text)"
  }

  static func identifier(of name: String) -> String {
    String(name.split(separator: "/").last ?? "")
  }
}

enum CollectionArgument {
  private static let prefix = "collections/"

  /// The name "collections/{collection}" for an identifier. A full name is returned unchanged.
  static func name(of text: String) -> String { text.hasPrefix(prefix) ? text : prefix + text }

  static func identifier(of name: String) -> String {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }
}
