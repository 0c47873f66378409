// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
public import LayoutGeometry
internal import LayoutProtocol
public import LayoutSession

/// An element that a query found. It has no slot, because it belongs to no session.
public struct QueriedElement: Hashable, Sendable {
  /// Identifies the element within one data version of one layout.
  public var key: ElementKey
  /// The element's frame, in content coordinates, and other attributes.
  public var attributes: LayoutAttributes
  /// The key of the cell's item; "" = none.
  public var itemKey: String
  /// The place of the cell's item in its outline.
  public var outline: OutlineMark
  /// For an element without an item, the key of its section; "" = none.
  public var sectionKey: String
  /// The renderer's data of the cell's item; "" = none.
  public var itemData: String

  /// Creates a queried element.
  public init(
    key: ElementKey,
    attributes: LayoutAttributes,
    itemKey: String = "",
    outline: OutlineMark = .none,
    sectionKey: String = "",
    itemData: String = ""
  ) {
    self.key = key
    self.attributes = attributes
    self.itemKey = itemKey
    self.outline = outline
    self.sectionKey = sectionKey
    self.itemData = itemData
  }
}

extension LayoutClient {
  /// The elements that meet a rect, in order of section, item, category and kind, without a
  /// session.
  ///
  /// If the collection changes between two pages of the answer, the query starts again from the
  /// first page, up to 8 times in total.
  /// - Parameters:
  ///   - rect: in content coordinates; nil = the whole content.
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its offset, size and traits matter to layouts that depend on them.
  /// - Throws: `LayoutProblem`: QUOTA_ELEMENTS, COLLECTION_NOT_FOUND, LAYOUT_KIND_UNKNOWN; ABORTED
  ///   if the collection changes faster than it can be read.
  public func elements(
    in rect: Rect? = nil,
    of source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> [QueriedElement] {
    var request = CollectionLayout_V1_QueryElementsRequest()
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    if let rect { request.rect = Wire.Rect(rect) }
    do {
      for _ in 0 ..< 8 {
        if let elements = try await pages(of: request) { return elements }
      }
    } catch let error as RPCError {
      throw LayoutProblem(error)
    }
    throw LayoutProblem(
      RPCError(code: .aborted, message: "the collection changes faster than it can be read")
    )
  }

  /// All pages of a query; nil if the data changed between two pages.
  private func pages(
    of question: CollectionLayout_V1_QueryElementsRequest
  ) async throws -> [QueriedElement]? {
    var request = question
    var elements: [QueriedElement] = []
    var version: UInt64?
    var pages = Pages()
    while true {
      request.pageToken = pages.token
      let page = try await queries.queryElements(request)
      guard page.dataVersion == version ?? page.dataVersion else { return nil }
      version = page.dataVersion
      var reader = FieldReader()
      elements += reader.each(page.elements, "elements") { element, reader in
        QueriedElement(element, &reader)
      }
      try reader.finish()
      let count = page.elements.count
      guard try pages.turn(to: page.nextPageToken, entries: count) else { return elements }
    }
  }
}

extension Wire.LayoutTarget {
  /// The target of a query.
  ///
  /// - Throws: `LayoutProblem` if the layout cannot be expressed as a message.
  init(
    _ source: ViewerConfiguration.Source,
    layout: LayoutConfiguration?,
    layoutName: String?,
    viewport: ViewportChange
  ) throws {
    self.init()
    switch source {
    case .collection(let name): collection = name
    case .contents(let contents): inlineContents = Wire.CollectionContents(contents)
    }
    if let layout { self.layout = try Wire.LayoutSpec(sending: layout) }
    if let layoutName { self.layoutName = layoutName }
    self.viewport = Wire.ViewportChange(viewport)
  }
}
