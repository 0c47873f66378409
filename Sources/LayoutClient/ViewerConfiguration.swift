// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry
public import LayoutProtocol
public import LayoutSession

/// The settings with which a viewer opens its session.
public struct ViewerConfiguration: Sendable {
  /// The items to lay out.
  public enum Source: Sendable {
    /// A shared collection, by its name "collections/{collection}".
    case collection(String)
    /// Private contents that are sent with the request.
    case contents(CollectionContents)
  }

  /// The items to lay out.
  public var source: Source
  /// nil = the collection's default layout.
  public var layout: LayoutConfiguration?
  /// A named layout of the collection, "collections/{collection}/layouts/{layout}", which the
  /// viewer follows; nil = as `layout` says. The server refuses both together.
  public var layoutName: String?
  /// The layout as a message, for clients that have it in this form. It takes precedence over
  /// `layout`.
  package var layoutMessage: Wire.LayoutSpec?
  /// The initial viewport. It must not have an offset if there is a `start`: the server refuses
  /// both together.
  public var viewport: ViewportChange
  /// Where the session begins; nil = at the viewport's offset. A viewer is handed out after the
  /// first frame was applied, so its offset is that place.
  public var start: SessionStart?
  /// The encodings and features that the viewer supports.
  public var capabilities: ClientCapabilities
  /// The options that the viewer requests. The server may grant less.
  public var options: SessionOptions
  /// What the viewer has expanded in outlines, for example the result of
  /// `LayoutClient.expansions(of:)`.
  public var expansions: ViewerExpansions
  /// What the viewer has changed of the columns of tables.
  public var table: TablePreferences
  /// Identifies what measures the elements: name and version of the renderer, its fonts, and
  /// whatever else sizes depend on besides layout, container and traits; 1 to 128 bytes of
  /// printable ASCII. If the collection shares measurements, viewers with the same renderer have
  /// the same sizes. nil = the viewer measures for itself.
  public var renderer: String?
  /// Limits on how much of what the server sends the viewer keeps.
  public var limits: MirrorLimits

  /// Creates a configuration.
  public init(
    source: Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange,
    capabilities: ClientCapabilities = ClientCapabilities(),
    options: SessionOptions = SessionOptions(),
    limits: MirrorLimits = MirrorLimits(),
    start: SessionStart? = nil,
    expansions: ViewerExpansions = ViewerExpansions(),
    table: TablePreferences = TablePreferences(),
    renderer: String? = nil
  ) {
    self.source = source
    self.layout = layout
    self.layoutName = layoutName
    self.viewport = viewport
    self.capabilities = capabilities
    self.options = options
    self.expansions = expansions
    self.table = table
    self.renderer = renderer
    self.limits = limits
    self.start = start
  }

  /// The event that opens the session.
  ///
  /// - Throws: `LayoutProblem` if the layout cannot be expressed as a message.
  func openSession() throws -> Wire.OpenSession {
    var open = Wire.OpenSession()
    switch source {
    case .collection(let name): open.collection = name
    case .contents(let contents): open.inlineContents = Wire.CollectionContents(contents)
    }
    if let layoutMessage {
      open.layout = layoutMessage
    } else if let layout {
      open.layout = try Wire.LayoutSpec(sending: layout)
    }
    if let layoutName { open.layoutName = layoutName }
    open.viewport = Wire.ViewportChange(viewport)
    open.capabilities = Wire.ClientCapabilities(capabilities)
    open.options = Wire.SessionOptions(options)
    if let start { open.start = Wire.StartPlace(start) }
    if !expansions.isDefault { open.expansions = Wire.ExpansionState(expansions) }
    if !table.isEmpty {
      open.table = Wire.TableChange(TableChange(columns: table.columns, order: table.order))
    }
    if let renderer { open.renderer = renderer }
    return open
  }

  /// The value of the metadata `x-layout-collection`, by which proxies route; nil for private
  /// contents.
  var routingKey: String? { if case .collection(let name) = source { name } else { nil } }
}

extension Wire.LayoutSpec {
  /// The message of a layout.
  ///
  /// - Throws: `LayoutProblem` if the layout cannot be expressed as a message.
  init(sending layout: LayoutConfiguration) throws(LayoutProblem) {
    guard let spec = Wire.LayoutSpec(layout) else {
      throw .fieldInvalid(
        "layout",
        "\(layout.layout.kindName) found; this layout cannot be expressed as a message"
      )
    }
    self = spec
  }
}
