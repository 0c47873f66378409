// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
public import LayoutGeometry
internal import LayoutProtocol
public import LayoutSession

/// What a query found: an element without a session, which therefore has no slot.
public struct QueriedElement: Hashable, Sendable {
  /// Which element, within one data version of one layout.
  public var key: ElementKey
  /// Where it is, in content coordinates.
  public var attributes: LayoutAttributes
  /// The data's own identifier of the item; "" = none.
  public var itemKey: String

  /// An element that a query found.
  public init(key: ElementKey, attributes: LayoutAttributes, itemKey: String = "") {
    self.key = key
    self.attributes = attributes
    self.itemKey = itemKey
  }
}

extension LayoutClient {
  /// The elements that meet a rect, in order of section, item, category and kind, without a session.
  ///
  /// A collection that changes between two pages of the answer is asked again from the start, a few
  /// times.
  /// - Parameters:
  ///   - rect: in content coordinates; nil = everything.
  ///   - layout: nil = the collection's default.
  /// - Throws: `LayoutProblem` where the server refuses.
  public func elements(
    in rect: Rect? = nil,
    of source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    viewport: ViewportChange
  ) async throws -> [QueriedElement] {
    var request = CollectionLayout_V1_QueryElementsRequest()
    request.target = try Wire.LayoutTarget(source, layout: layout, viewport: viewport)
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

  /// nil where the data changed between two pages.
  private func pages(
    of question: CollectionLayout_V1_QueryElementsRequest
  ) async throws -> [QueriedElement]? {
    var request = question
    var elements: [QueriedElement] = []
    var version: UInt64?
    repeat {
      let page = try await queries.queryElements(request)
      guard page.dataVersion == version ?? page.dataVersion else { return nil }
      version = page.dataVersion
      var reader = FieldReader()
      elements += reader.each(page.elements, "elements") { element, reader in
        QueriedElement(element, &reader)
      }
      try reader.finish()
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return elements
  }
}

extension Wire.LayoutTarget {
  /// - Throws: `LayoutProblem` for a layout that has no message.
  init(
    _ source: ViewerConfiguration.Source,
    layout: LayoutConfiguration?,
    viewport: ViewportChange
  ) throws {
    self.init()
    switch source {
    case .collection(let name): collection = name
    case .contents(let contents): inlineContents = Wire.CollectionContents(contents)
    }
    if let layout { self.layout = try Wire.LayoutSpec(sending: layout) }
    self.viewport = Wire.ViewportChange(viewport)
  }
}
