// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting

/// The prepared layout that a query is about.
struct QuerySubject: Sendable {
  let queries: LayoutQueries
  /// The version that was laid out; 0 for inline contents.
  let dataVersion: UInt64
  /// `LiveCollection.contentsIdentity` if the query names a collection. nil for sessions and inline
  /// contents, for which no index is cached.
  let identity: UInt64?
  /// The layout that was prepared, for a collection; nil otherwise.
  let configuration: LayoutConfiguration?
  /// The charges to the caller, held until the query is answered.
  let charges: SubjectCharges

  init(
    _ prepared: any PreparedLayout,
    shown: any PreparedLayout,
    viewport: Viewport,
    dataVersion: UInt64,
    identity: UInt64? = nil,
    configuration: LayoutConfiguration? = nil,
    charges: SubjectCharges
  ) {
    queries = LayoutQueries(prepared, shown: shown, viewport: viewport)
    self.dataVersion = dataVersion
    self.identity = identity
    self.configuration = configuration
    self.charges = charges
  }

  init(_ query: SessionQuery, charges: SubjectCharges) {
    self.init(
      query.prepared,
      shown: query.shown,
      viewport: query.viewport,
      dataVersion: query.dataVersion,
      charges: charges
    )
  }

  /// The layout's queries, stopped by `work`.
  func queries(within work: LayoutWork) -> LayoutQueries {
    LayoutQueries(
      queries.prepared,
      shown: queries.shown,
      viewport: queries.viewport,
      work: work
    )
  }

  var contents: CollectionContents { queries.prepared.context.contents }
  var contentSize: Size { queries.prepared.contentSize }

  func message(of key: ElementKey, _ attributes: LayoutAttributes?) -> Wire.ElementAttributes {
    var message = Wire.ElementAttributes(
      key: key,
      attributes: attributes,
      itemKey: key.category == .cell && attributes != nil
        ? contents.key(at: key.indexPath) ?? "" : "",
      sectionKey: attributes == nil ? "" : sectionKey(of: key),
      itemData: key.category == .cell && attributes != nil ? contents.data(at: key.indexPath) : ""
    )
    if key.category == .cell, attributes != nil,
      let position = contents.outlinePosition(ofRow: key.indexPath),
      let outline = Wire.OutlinePosition(OutlineMark(position))
    {
      message.outline = outline
    }
    return message
  }

  /// The key of the section of an element without an item; "" = it has none.
  private func sectionKey(of key: ElementKey) -> String {
    let path = key.indexPath
    guard path.item == nil, path.section < contents.sectionCount else { return "" }
    return contents.section(at: path.section).key
  }

  func message(of element: LayoutElement, in buffer: ElementBuffer) -> Wire.ElementAttributes {
    message(of: queries.key(of: element), buffer.attributes(of: element))
  }

  /// Whether an item exists, but is hidden in an outline.
  func hidesItem(ofKey key: String) -> Bool {
    contents.hasOutlines && contents.whole.indexPath(ofItemKey: key) != nil
  }

  /// The cell of the item with this key; nil if there is no such item.
  func cell(ofItemKey key: String) -> ElementKey? {
    guard let path = contents.indexPath(ofItemKey: key), let item = contents.item(at: path) else {
      return nil
    }
    return ElementKey(category: .cell, kind: contents.cellKind(of: item), indexPath: path)
  }
}

/// The memory that a query is charged for: a shared layout, or private contents and their layout. A
/// query about a session is charged for nothing, because the session already is.
struct SubjectCharges: Sendable {
  /// The account of the call.
  let account: Account
  var layout: LayoutLease?
  /// The charge for a layout that is stored with the collection.
  var stored: Hold?
  var own: [Lease] = []
}

extension ViewportChange {
  /// The viewport after this change, with defaults for fields that are not set.
  var viewport: Viewport {
    Viewport(
      offset: offset ?? .zero,
      size: size ?? .zero,
      insets: insets ?? .zero,
      isRightToLeft: traits?.isRightToLeft ?? false,
      sectionOffsets: sectionOffsets
    )
  }

  /// The environment that the conditions of responsive layouts are checked against.
  var environment: LayoutEnvironment {
    LayoutEnvironment(container, traits: traits?.stated ?? .none)
  }

  var container: LayoutContainer {
    LayoutContainer(
      size: size ?? .zero,
      insets: insets ?? .zero,
      displayScale: traits?.displayScale ?? 1,
      isRightToLeft: traits?.isRightToLeft ?? false,
      references: references
    )
  }
}
