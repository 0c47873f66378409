// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Items by position: an index, and beside it what has changed since it was built.
struct PreparedSpatial: PreparedLayout {
  let context: LayoutContext
  let contentSize: Size

  let placement: SpatialPlacement
  let ordinals: ItemOrdinals
  let index: SpatialIndex
  /// How the items of the index correspond to those of the contents.
  let pieces: SpatialPieces
  /// Of the items that the index does not have, in order; nil = no place.
  let added: [Point?]
  private let kinds: CellKinds
  /// The size of every item; nil = they differ.
  private let uniformSize: Size?

  init(_ layout: SpatialLayout, _ context: LayoutContext) {
    let placement = SpatialPlacement(layout, context)
    let index = SpatialIndex(
      context.contents,
      placement: placement,
      uniformSize: Self.uniformSize(of: context.contents, placement)
    )
    let ordinals = ItemOrdinals(context.contents)
    self.init(
      layout,
      context,
      ordinals: ordinals,
      index: index,
      pieces: SpatialPieces(count: ordinals.count),
      added: []
    )
  }

  init(
    _ layout: SpatialLayout,
    _ context: LayoutContext,
    ordinals: ItemOrdinals,
    index: SpatialIndex,
    pieces: SpatialPieces,
    added: [Point?]
  ) {
    self.context = context
    placement = SpatialPlacement(layout, context)
    self.ordinals = ordinals
    self.index = index
    self.pieces = pieces
    self.added = added
    kinds = CellKinds(context.contents)
    uniformSize = Self.uniformSize(of: context.contents, placement)
    switch layout.projection {
    case .points:
      contentSize = Self.pointsContentSize(
        farCorner: Self.farCorner(
          context.contents,
          placement,
          ordinals,
          index,
          pieces,
          added,
          uniformSize
        ),
        inset: layout.contentInset
      )
    case .webMercator:
      contentSize = Size(width: placement.worldWidth, height: placement.worldWidth)
    case .equirectangular:
      contentSize = Size(width: placement.worldWidth, height: placement.worldWidth / 2)
    }
  }

  var kindNames: [String] { context.contents.cellKindNames }
  var scrollAxis: ScrollAxis? { nil }

  var byteCount: Int {
    index.byteCount + ordinals.starts.count * MemoryLayout<Int>.stride
      + pieces.count * MemoryLayout<SpatialPieces.Piece>.stride * 3
      + added.count * MemoryLayout<Point?>.stride
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let isIdentity = pieces.isIdentity
    let largest = index.largestSize
    index.forEachSlot(near: rect) { slot in
      let origin = Point(x: index.xs[slot], y: index.ys[slot])
      guard
        origin.x < rect.maxX, origin.y < rect.maxY, origin.x + largest.width >= rect.minX,
        origin.y + largest.height >= rect.minY
      else { return }
      let indexed = Int(index.ordinals[slot])
      let current = isIdentity ? indexed : pieces.currentOrdinal(ofIndexed: indexed)
      guard let current else { return }
      append(current, at: origin, in: rect, to: &buffer)
    }
    for rank in added.indices {
      guard let origin = added[rank], origin.x < rect.maxX, origin.y < rect.maxY,
        let current = pieces.currentOrdinal(ofAdded: rank)
      else { continue }
      append(current, at: origin, in: rect, to: &buffer)
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    guard kinds.contains(key), let item = key.indexPath.item else { return nil }
    let items = context.contents.section(at: key.indexPath.section).items
    let (chunk, start) = items.chunk(containing: item)
    return placement.frame(of: item - start, in: chunk).map { LayoutAttributes(frame: $0) }
  }

  private func append(
    _ ordinal: Int,
    at origin: Point,
    in rect: Rect,
    to buffer: inout ElementBuffer
  ) {
    let path = ordinals.indexPath(at: ordinal)
    let size = uniformSize ?? Self.size(at: path, context.contents, placement)
    let frame = Rect(origin: origin, size: size)
    guard frame.meets(rect) else { return }
    buffer.append(
      LayoutElement(category: .cell, kind: kinds.kind(at: path), indexPath: path, frame: frame)
    )
  }
}

// MARK: - Sizes

extension PreparedSpatial {
  /// - Precondition: there is such an item.
  static func size(
    at path: IndexPath,
    _ contents: CollectionContents,
    _ placement: SpatialPlacement
  ) -> Size {
    let item = path.item ?? 0
    let (chunk, start) = contents.section(at: path.section).items.chunk(containing: item)
    return placement.size(
      width: chunk.widths.value(at: item - start),
      height: chunk.heights.value(at: item - start)
    )
  }

  /// - Complexity: O(sections)
  private static func uniformSize(
    of contents: CollectionContents,
    _ placement: SpatialPlacement
  ) -> Size? {
    func given(_ column: UniformColumn, orElse length: Double) -> UniformColumn {
      column == .absent ? .constant(length) : column
    }
    var width = UniformColumn.empty
    var height = UniformColumn.empty
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      let summary = section.items.summary
      width = width + given(summary.width, orElse: placement.itemSize.width)
      height = height + given(summary.height, orElse: placement.itemSize.height)
      return width != .varying || height != .varying
    }
    switch (width, height) {
    case (.constant(let width), .constant(let height)):
      return placement.size(width: width, height: height)
    case (.empty, _): return placement.size(width: nil, height: nil)
    default: return nil
    }
  }

  private static func farCorner(
    _ contents: CollectionContents,
    _ placement: SpatialPlacement,
    _ ordinals: ItemOrdinals,
    _ index: SpatialIndex,
    _ pieces: SpatialPieces,
    _ added: [Point?],
    _ uniformSize: Size?
  ) -> Point? {
    func frame(_ ordinal: Int, _ origin: Point) -> Rect {
      Rect(
        origin: origin,
        size: uniformSize ?? size(at: ordinals.indexPath(at: ordinal), contents, placement)
      )
    }
    var corner =
      pieces.totals.dropped == 0
      ? index.farCorner
      : index.farCorner { slot in
        pieces.currentOrdinal(ofIndexed: Int(index.ordinals[slot])).map {
          frame($0, Point(x: index.xs[slot], y: index.ys[slot]))
        }
      }
    for rank in added.indices {
      guard let origin = added[rank], let ordinal = pieces.currentOrdinal(ofAdded: rank)
      else { continue }
      let frame = frame(ordinal, origin)
      corner = Point(
        x: max(corner?.x ?? frame.maxX, frame.maxX),
        y: max(corner?.y ?? frame.maxY, frame.maxY)
      )
    }
    return corner
  }

  private static func pointsContentSize(farCorner: Point?, inset: EdgeInsets) -> Size {
    guard let farCorner else { return .zero }
    return Size(
      width: max(0, farCorner.x + inset.trailing),
      height: max(0, farCorner.y + inset.bottom)
    )
  }
}
