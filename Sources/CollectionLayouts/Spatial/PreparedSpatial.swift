// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Items by position: layers of indices, and the items that changed since these were built.
struct PreparedSpatial: PreparedLayout {
  let context: LayoutContext
  private(set) var contentSize: Size

  let placement: SpatialPlacement
  let ordinals: ItemOrdinals
  let layers: [SpatialLayer]
  /// Tells which of the current items are added ones, that is, in no layer.
  let pieces: SpatialPieces
  /// The added items, in order; nil = the item has no place.
  let added: [PlacedItem?]
  /// How many items are in which cells beside those of the layers; nil = there are no clusters.
  let counts: ClusterCounts?
  /// How clusters look; nil = there are none.
  let clusters: SpatialLayout.Clusters?
  let limits: SpatialLimits
  let kinds: CellKinds

  init(
    _ layout: SpatialLayout,
    _ context: LayoutContext,
    limits: SpatialLimits = .standard,
    work: LayoutWork = .unlimited
  ) {
    let placement = SpatialPlacement(layout, context)
    let index = SpatialIndex(
      context.contents,
      placement: placement,
      uniformSize: Self.uniformSize(of: context.contents, placement),
      work: work
    )
    let ordinals = ItemOrdinals(context.contents)
    let pieces = SpatialPieces(count: ordinals.count)
    self.init(
      layout,
      context,
      ordinals: ordinals,
      state: SpatialState(
        layers: [SpatialLayer(index, pieces: pieces)],
        pieces: pieces,
        added: [],
        counts: layout.clusters.map { _ in ClusterCounts() }
      ),
      limits: limits
    )
  }

  init(
    _ layout: SpatialLayout,
    _ context: LayoutContext,
    ordinals: ItemOrdinals,
    state: SpatialState,
    limits: SpatialLimits
  ) {
    self.context = context
    placement = SpatialPlacement(layout, context)
    self.ordinals = ordinals
    layers = state.layers
    pieces = state.pieces
    added = state.added
    counts = state.counts
    clusters = layout.clusters
    self.limits = limits
    kinds = CellKinds(context.contents)
    switch layout.projection {
    case .points:
      contentSize = .zero
      if let farCorner {
        contentSize = Size(
          width: max(0, farCorner.x + layout.contentInset.trailing),
          height: max(0, farCorner.y + layout.contentInset.bottom)
        )
      }
    case .webMercator:
      contentSize = Size(width: placement.worldWidth, height: placement.worldWidth)
    case .equirectangular:
      contentSize = Size(width: placement.worldWidth, height: placement.worldWidth / 2)
    }
  }

  var kindNames: [String] { context.contents.cellKindNames }
  var scrollAxis: ScrollAxis? { nil }

  var byteCount: Int {
    layers.reduce(MemoryLayout<PreparedSpatial>.stride) { $0 + $1.byteCount }
      + context.options.byteCount + ordinals.byteCount + pieces.count
      * MemoryLayout<SpatialPieces.Piece>.stride * 3
      + added.count * MemoryLayout<PlacedItem?>.stride + (counts?.byteCount ?? 0)
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    if let search = ClusterSearch(self) { return search.appendElements(in: rect, to: &buffer) }
    for layer in layers { appendElements(of: layer, in: rect, to: &buffer) }
    for rank in added.indices {
      guard let frame = added[rank]?.frame, frame.meets(rect),
        let current = pieces.currentOrdinal(ofAdded: rank)
      else { continue }
      let path = ordinals.indexPath(at: current)
      buffer.append(
        LayoutElement(category: .cell, kind: kinds.kind(at: path), indexPath: path, frame: frame)
      )
    }
  }

  private func appendElements(
    of layer: SpatialLayer,
    in rect: Rect,
    to buffer: inout ElementBuffer
  ) {
    let index = layer.index
    let largest = index.largestSize
    // One point more on either side, because these differences are rounded.
    let (left, right) = (rect.minX - largest.width - 1, rect.maxX)
    let (top, bottom) = (rect.minY - largest.height - 1, rect.maxY)
    index.forEachLeaf(touching: rect) { slots in
      for slot in slots {
        let (x, y) = (index.xs[slot], index.ys[slot])
        guard x >= left, x < right, y >= top, y < bottom else { continue }
        guard let current = layer.currentOrdinal(inSlot: slot) else { continue }
        let path = ordinals.indexPath(at: current)
        let size = index.size(at: slot) ?? size(at: path)
        let frame = Rect(origin: Point(x: x, y: y), size: size)
        guard frame.meets(rect) else { continue }
        buffer.append(
          LayoutElement(category: .cell, kind: kinds.kind(at: path), indexPath: path, frame: frame)
        )
      }
      return buffer.visit(slots.count) && !buffer.isFull
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    guard kinds.contains(key) else { return nil }
    guard let item = self.item(at: key.indexPath, in: context.contents) else { return nil }
    return ClusterSearch(self)?.attributes(of: key.indexPath, item)
      ?? LayoutAttributes(frame: item.frame)
  }
}

// MARK: - Sizes

extension PreparedSpatial {
  /// An item's size.
  ///
  /// - Precondition: there is such an item.
  func size(at path: IndexPath) -> Size {
    let item = path.item ?? 0
    let (chunk, start) = context.contents.section(at: path.section).items.chunk(containing: item)
    return placement.size(
      width: chunk.widths.value(at: item - start),
      height: chunk.heights.value(at: item - start)
    )
  }

  /// The size that all items have; nil if they differ.
  ///
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

  /// The right edge of the rightmost frame and the bottom edge of the lowest; nil if there are no
  /// frames.
  private var farCorner: Point? {
    var corner: Point?
    func include(_ point: Point) {
      corner = Point(x: max(corner?.x ?? point.x, point.x), y: max(corner?.y ?? point.y, point.y))
    }
    for layer in layers {
      let own =
        layer.isWhole
        ? layer.index.farCorner
        : layer.index.farCorner(frame: { indexedFrame(in: layer, $0) })
      if let own { include(own) }
    }
    for case let item? in added { include(Point(x: item.frame.maxX, y: item.frame.maxY)) }
    return corner
  }

  /// The frame in a slot of a layer; nil if its item is gone.
  func indexedFrame(in layer: SpatialLayer, _ slot: Int) -> Rect? {
    layer.currentOrdinal(inSlot: slot).map { ordinal in
      Rect(
        origin: Point(x: layer.index.xs[slot], y: layer.index.ys[slot]),
        size: layer.index.size(at: slot) ?? size(at: ordinals.indexPath(at: ordinal))
      )
    }
  }
}
