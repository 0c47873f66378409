// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import CollectionModel
package import LayoutSession

/// A request to open or resume a session.
package struct OpenRequest: Sendable {
  /// Where the session's contents come from.
  package enum Source: Sendable {
    /// A collection, by its name: "collections/{collection}".
    case collection(String)
    /// Contents in the request, private to the session.
    case contents(CollectionContents)
    /// A session whose stream broke.
    case resume(ResumeRequest)
  }

  /// Where the session's contents come from.
  package var source: Source
  /// The capabilities that the session uses, chosen from those that the client offers.
  package var capabilities: ClientCapabilities
  /// The most bytes of one response, as granted to the client.
  package var maxMessageBytes: Int
  /// The options that the client asks for.
  package var options: SessionOptions
  /// The layout; nil = the collection's default layout.
  package var layout: LayoutConfiguration?
  /// A named layout of the collection; nil = none. Never beside `layout`.
  package var layoutName: String?
  /// The initial viewport.
  package var viewport: ViewportChange
  /// Where a new session begins; nil = at the viewport's offset.
  package var start: SessionStart?
  /// What the viewer has expanded.
  package var expansions: ViewerExpansions
  /// What the viewer has changed of the columns of tables.
  package var table: TablePreferences
  /// What the client measures with; nil = it shares no sizes.
  package var renderer: String?
}

/// What a client still holds of a session whose stream broke.
package struct ResumeRequest: Hashable, Sendable {
  /// The newest resume token that the client received.
  package var resumeToken: [UInt8]
  /// The newest frame that the client applied; 0 = none.
  package var lastFrame: UInt64
  /// The checksum of the client's elements; nil = it computes none.
  package var stateChecksum: UInt32?
  /// The number of the client's elements.
  package var liveCount: Int

  /// The state of a client at `lastFrame`.
  package init(
    resumeToken: [UInt8],
    lastFrame: UInt64,
    stateChecksum: UInt32?,
    liveCount: Int
  ) {
    self.resumeToken = resumeToken
    self.lastFrame = lastFrame
    self.stateChecksum = stateChecksum
    self.liveCount = liveCount
  }
}

extension Wire.OpenSession {
  /// Reads the request.
  ///
  /// - Throws: every problem of `FieldReader`; LAYOUT_KIND_UNKNOWN for inline contents without a
  ///   layout.
  package func decoded(by rules: ReadingRules) throws(LayoutProblem) -> OpenRequest {
    var reader = FieldReader()
    let request = reader.open(self, rules: rules)
    try reader.finish()
    // `open` returns nil only after refusing a field, which `finish` has thrown.
    guard let request else { throw .protocolViolation("The request does not open a session.") }
    return request
  }
}

extension FieldReader {
  /// - Returns: nil = a field was refused.
  fileprivate mutating func open(_ message: Wire.OpenSession, rules: ReadingRules) -> OpenRequest? {
    let source: OpenRequest.Source?
    switch message.source {
    case .collection(let name): source = .collection(name)
    case .inlineContents(let contents):
      source = .contents(self.contents(contents, "inline_contents", limits: rules.limits))
    case .resume(let resume):
      source = .resume(
        ResumeRequest(
          resumeToken: Array(resume.resumeToken),
          lastFrame: resume.lastFrameSeq,
          stateChecksum: resume.hasStateChecksum ? resume.stateChecksum : nil,
          liveCount: Int(resume.liveCount)
        )
      )
    case nil:
      source = nil
      reject("source", "nothing found; collection, inline_contents or resume is needed")
    }
    let layout = message.hasLayout ? self.layout(message.layout, "layout", rules: rules) : nil
    if case .contents = source, !message.hasLayout, message.layoutName.isEmpty {
      fail(
        .layoutKindUnknown(
          field: path(to: "layout"),
          found: "no layout found, and inline contents have no default",
          supported: rules.registry.supportedKinds
        )
      )
    }
    if !message.layoutName.isEmpty {
      if message.hasLayout {
        reject("layout_name", "found beside layout; one of them is allowed")
      } else if case .contents = source {
        reject("layout_name", "found with inline contents, which have no named layouts")
      }
    }
    let viewport = within("viewport") { $0.viewport(message.viewport) }
    let options = within("options") { $0.options(message.options) }
    var start: SessionStart?
    if message.hasStart {
      start = within("start") { $0.start(message.start) }
      if message.viewport.hasContentOffset {
        reject("start", "found beside viewport.content_offset; one of them is allowed")
      }
    }
    let expansions = within("expansions") {
      $0.expansions(message.expansions, limit: rules.expansionExceptions)
    }
    let table = within("table") { $0.tableChange(message.table) }.applied(to: TablePreferences())
    if !Self.isRenderer(message.renderer) {
      reject(
        "renderer",
        "\(message.renderer.utf8.count) bytes found; 1 to 128 bytes of printable ASCII are allowed"
      )
    }
    guard let source, isClean else { return nil }
    return OpenRequest(
      source: source,
      capabilities: ClientCapabilities(message.capabilities),
      maxMessageBytes: message.capabilities.grantedMessageBytes,
      options: options,
      layout: layout,
      layoutName: message.layoutName.isEmpty ? nil : message.layoutName,
      viewport: viewport,
      start: start,
      expansions: expansions,
      table: table,
      renderer: message.renderer.isEmpty ? nil : message.renderer
    )
  }

  /// Whether a text is empty or a valid renderer: at most 128 printable ASCII characters.
  private static func isRenderer(_ text: String) -> Bool {
    text.utf8.count <= 128 && text.utf8.allSatisfy { (0x20 ... 0x7E).contains($0) }
  }

  /// - Returns: nil = the message names no place, and was refused.
  private mutating func start(_ message: Wire.StartPlace) -> SessionStart? {
    switch message.place {
    case .element(let element):
      switch within("element", { $0.scrollRequest(element) }) {
      case .element(let key, let position): .element(key, at: position)
      case .item(let key, let position, let reveals):
        .item(key: key, at: position, reveals: reveals)
      case .release, .neighbor, nil: nil
      }
    case .edge(let edge):
      if edge == .unspecified {
        refuse("edge", "0 found; 1 (start) and 2 (end) are allowed")
      } else {
        self.edge(edge, "edge").map { .edge($0) }
      }
    case .fraction(let fraction): .fraction(number(fraction, "fraction", in: 0 ... 1))
    case nil: refuse("place", "nothing found; element, edge or fraction is needed")
    }
  }
}

extension Wire.ClientCapabilities {
  /// The most bytes of one response: what the client asks for, but from 16 KiB, which is enough for
  /// any one element, to 4 MiB, which is the default limit of gRPC implementations. 4 MiB if it
  /// asks for nothing.
  package var grantedMessageBytes: Int {
    maxMessageBytes == 0 ? 4 << 20 : min(max(Int(maxMessageBytes), 16 << 10), 4 << 20)
  }
}

extension ClientCapabilities {
  /// The capabilities that the session uses: of each list that the client offers the first known
  /// entry, or the default if there is none.
  package init(_ message: Wire.ClientCapabilities) {
    let encodings = message.encodings.compactMap { encoding -> ElementEncoding? in
      switch encoding {
      case .messages: .messages
      case .packed: .packed
      case .unspecified, .UNRECOGNIZED: nil
      }
    }
    self.init(
      encoding: encodings.first ?? .messages,
      unitsPerPoint: Int(message.unitsPerPoint.first { $0 == 64 || $0 == 192 } ?? 64),
      animations: message.animations,
      pinning: message.pinning,
      checksums: message.checksums,
      itemKeys: message.itemKeys,
      scrollEffects: message.scrollEffects,
      sectionKeys: message.sectionKeys,
      sectionScrolls: message.sectionScrolls || message.sectionScrolling,
      sectionScrolling: message.sectionScrolling,
      itemData: message.itemData
    )
  }
}
