// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import LayoutClient
import LayoutGeometry
import LayoutProtocol

/// An element that commands show, from the answer of a query or from the mirror of a session.
struct ShownElement: Hashable {
  var key: ElementKey
  var attributes: LayoutAttributes
  /// The key of the cell's item; "" = none.
  var itemKey: String
  /// The place of the cell's item in its outline.
  var outline: OutlineMark
  /// For an element without an item, the key of its section; "" = none.
  var sectionKey: String
  /// The renderer's data of the cell's item; "" = none.
  var itemData: String

  init(
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

  /// The key of its item or section; "" = none.
  var name: String { itemKey.isEmpty ? sectionKey : itemKey }

  init(_ message: Wire.ElementAttributes, _ reader: inout FieldReader) {
    self.init(
      key: reader.elementKey(message.key),
      attributes: reader.attributes(message.attributes, "attributes"),
      itemKey: message.itemKey,
      outline: OutlineMark(message.outline),
      sectionKey: message.sectionKey,
      itemData: message.itemData
    )
  }
}

/// All elements in a rect at one data version.
struct ElementSet {
  var elements: [ShownElement] = []
  var contentSize = Size.zero
  var dataVersion: UInt64 = 0

  private static let pageSize: UInt32 = 20_000
  private static let maxAttempts = 5

  /// Reads all pages of a query.
  ///
  /// - Parameters:
  ///   - rect: in content coordinates; nil = the whole content.
  ///   - limit: the largest allowed number of elements.
  /// - Throws: `LayoutProblem`; `CommandFault` if there are more than `limit` elements, or if the
  ///   collection changes faster than its pages can be read.
  static func query(
    _ target: Wire.LayoutTarget,
    rect: Rect?,
    limit: Int = .max,
    client: LayoutClient
  ) async throws -> ElementSet {
    for _ in 0 ..< maxAttempts {
      if let set = try await attempt(target, rect: rect, limit: limit, client: client) {
        return set
      }
    }
    throw CommandFault("the collection changes faster than its elements can be read")
  }

  /// Reads all pages once; nil if the data version changed between two pages.
  private static func attempt(
    _ target: Wire.LayoutTarget,
    rect: Rect?,
    limit: Int,
    client: LayoutClient
  ) async throws -> ElementSet? {
    var request = Wire.QueryElementsRequest()
    request.target = target
    request.pageSize = UInt32(min(Int(pageSize), max(1, limit)))
    if let rect { request.rect = Wire.Rect(rect) }
    var set = ElementSet()
    var isFirst = true
    var pages = Pages()
    while true {
      request.pageToken = pages.token
      let response = try await client.queries.queryElements(request)
      var reader = FieldReader()
      if isFirst {
        set.contentSize = reader.size(response.contentSize, "content_size")
        set.dataVersion = response.dataVersion
        isFirst = false
      } else if set.dataVersion != response.dataVersion {
        return nil
      }
      set.elements += reader.each(response.elements, "elements") { ShownElement($0, &$1) }
      try reader.finish()
      let count = response.elements.count
      let hasMore = try pages.turn(to: response.nextPageToken, entries: count)
      // The last page may be what is too much.
      guard set.elements.count <= limit, !hasMore || set.elements.count < limit else {
        throw CommandFault(
          "more than \(limit.grouped) elements; give a smaller --rect or a higher --max-elements"
        )
      }
      guard hasMore else { return set }
    }
  }
}

extension ElementCategory {
  var name: String {
    switch self {
    case .cell: "cell"
    case .supplementary: "supplementary"
    case .decoration: "decoration"
    }
  }
}

extension IndexPath {
  /// The index path as text: "3" for a section, "3.14" for an item.
  var text: String { item.map { "\(section).\($0)" } ?? "\(section)" }
}
