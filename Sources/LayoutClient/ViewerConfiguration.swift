// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry
package import LayoutProtocol
public import LayoutSession

/// What a viewer looks at, and how.
public struct ViewerConfiguration: Sendable {
  /// Whose items are laid out.
  public enum Source: Sendable {
    /// "collections/{collection}"
    case collection(String)
    /// Private to the session.
    case contents(CollectionContents)
  }

  /// Whose items are laid out.
  public var source: Source
  /// nil = the collection's default layout.
  public var layout: LayoutConfiguration?
  /// The layout as a message, for clients that have it as such; goes before `layout`.
  package var layoutMessage: Wire.LayoutSpec?
  /// Where the viewer is in the beginning.
  public var viewport: ViewportChange
  /// What the viewer can do with frames.
  public var capabilities: ClientCapabilities
  /// What the viewer wishes.
  public var options: SessionOptions

  /// A viewer of a source.
  public init(
    source: Source,
    layout: LayoutConfiguration? = nil,
    viewport: ViewportChange,
    capabilities: ClientCapabilities = ClientCapabilities(),
    options: SessionOptions = SessionOptions()
  ) {
    self.source = source
    self.layout = layout
    self.viewport = viewport
    self.capabilities = capabilities
    self.options = options
  }

  /// The event that opens the session.
  /// - Throws: `LayoutProblem` for a layout that has no message.
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
    open.viewport = Wire.ViewportChange(viewport)
    open.capabilities = Wire.ClientCapabilities(capabilities)
    open.options = Wire.SessionOptions(options)
    return open
  }

  /// Proxies route by it.
  var routingKey: String? { if case .collection(let name) = source { name } else { nil } }
}

extension Wire.LayoutSpec {
  /// - Throws: `LayoutProblem` for a layout that has no message.
  init(sending layout: LayoutConfiguration) throws(LayoutProblem) {
    guard let spec = Wire.LayoutSpec(layout) else {
      throw .fieldInvalid(
        "layout",
        "is a \(layout.layout.kindName) that has no message of its own"
      )
    }
    self = spec
  }
}
