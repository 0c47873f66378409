// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession

/// What a question is asked of, once it has been found.
struct QuerySubject: Sendable {
  let queries: LayoutQueries
  let dataVersion: UInt64

  init(_ prepared: any PreparedLayout, viewport: Viewport, dataVersion: UInt64) {
    queries = LayoutQueries(prepared, viewport: viewport)
    self.dataVersion = dataVersion
  }

  init(_ query: SessionQuery) {
    self.init(query.prepared, viewport: query.viewport, dataVersion: query.dataVersion)
  }

  var contents: CollectionContents { queries.prepared.context.contents }
  var contentSize: Size { queries.prepared.contentSize }

  func message(of key: ElementKey, _ attributes: LayoutAttributes?) -> Wire.ElementAttributes {
    Wire.ElementAttributes(
      key: key,
      attributes: attributes,
      itemKey: key.category == .cell && attributes != nil
        ? contents.key(at: key.indexPath) ?? "" : ""
    )
  }

  func message(of element: LayoutElement, in buffer: ElementBuffer) -> Wire.ElementAttributes {
    message(of: queries.key(of: element), buffer.attributes(of: element))
  }

  /// The cell of the item with this key.
  func cell(ofItemKey key: String) -> ElementKey? {
    guard let path = contents.indexPath(ofItemKey: key), let item = contents.item(at: path) else {
      return nil
    }
    let names = contents.cellKindNames
    return ElementKey(
      category: .cell,
      kind: item.cellKind < names.count ? names[item.cellKind] : "",
      indexPath: path
    )
  }
}

extension ViewportChange {
  /// What a viewer sees who says just this.
  var viewport: Viewport {
    Viewport(
      offset: offset ?? .zero,
      size: size ?? .zero,
      insets: insets ?? .zero,
      isRightToLeft: traits?.isRightToLeft ?? false,
      sectionOffsets: sectionOffsets
    )
  }

  var container: LayoutContainer {
    LayoutContainer(
      size: size ?? .zero,
      insets: insets ?? .zero,
      displayScale: traits?.displayScale ?? 1,
      isRightToLeft: traits?.isRightToLeft ?? false
    )
  }
}
