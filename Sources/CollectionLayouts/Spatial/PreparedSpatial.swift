// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Items by position: layers of indices, and the items that changed since these were built.
struct PreparedSpatial: PreparedLayout {
  let context: LayoutContext
  private(set) var contentSize: Size
  /// The right edge of the rightmost frame and the bottom edge of the lowest among points, for all
  /// layouts with the same basis: items that are gone may make it long to find. nil on maps, and if
  /// there are no frames.
  private(set) var farCorner: Point?

  /// How the items are seen. All else is the same for all layouts with the same basis.
  private(set) var layout: SpatialLayout
  private(set) var placement: SpatialPlacement
  let ordinals: ItemOrdinals
  let layers: [SpatialLayer]
  /// Tells which of the current items are added ones, that is, in no layer.
  let pieces: SpatialPieces
  /// The added items, in order; nil = the item has no place.
  let added: [PlacedItem?]
  /// By how much the numbers of items differ from the layers' slots, by key; nil = there are no
  /// clusters.
  let counts: ClusterCounts?
  let limits: SpatialLimits
  let kinds: CellKinds
  /// Clusters that took long to work out, of this version.
  let memory: ClusterMemory
  /// What a preview has looked at; nil = this is no preview.
  let sampling: SpatialSampling?

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
    self.init(layout, context, index, limits: limits, work: work)
  }

  /// - Parameter index: of all items, or of a sample.
  /// - Parameter sampling: what the sample is; nil = all items.
  init(
    _ layout: SpatialLayout,
    _ context: LayoutContext,
    _ index: SpatialIndex,
    limits: SpatialLimits = .standard,
    sampling: SpatialSampling? = nil,
    work: LayoutWork
  ) {
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
      limits: limits,
      sampling: sampling,
      work: work
    )
  }

  /// - Parameter farCorner: the far corner among points if it is known; nil = it is searched for.
  init(
    _ layout: SpatialLayout,
    _ context: LayoutContext,
    ordinals: ItemOrdinals,
    state: SpatialState,
    limits: SpatialLimits,
    farCorner: Point? = nil,
    sampling: SpatialSampling? = nil,
    work: LayoutWork
  ) {
    self.layout = layout
    self.sampling = sampling
    self.context = context
    placement = SpatialPlacement(layout, context)
    self.ordinals = ordinals
    layers = state.layers
    pieces = state.pieces
    added = state.added
    counts = state.counts
    self.limits = limits
    let slots = state.layers.reduce(0) { $0 + $1.index.count }
    memory = ClusterMemory(slots: counts == nil ? 0 : slots, limits)
    kinds = CellKinds(context.contents)
    contentSize = .zero
    if layout.projection == .points { self.farCorner = farCorner ?? findFarCorner(work) }
    contentSize = size(of: layout)
  }

  /// The same items in a layout with the same basis, such as a map at another zoom.
  ///
  /// - Complexity: O(1)
  func seen(by layout: SpatialLayout) -> PreparedSpatial {
    guard layout != self.layout else { return self }
    var view = self
    view.layout = layout
    view.placement = SpatialPlacement(layout, context)
    view.contentSize = view.size(of: layout)
    return view
  }

  /// The size of the whole content.
  private func size(of layout: SpatialLayout) -> Size {
    switch layout.projection {
    case .points:
      guard let farCorner else { return .zero }
      return Size(
        width: max(0, farCorner.x + layout.contentInset.trailing),
        height: max(0, farCorner.y + layout.contentInset.bottom)
      )
    case .webMercator: return Size(width: placement.worldWidth, height: placement.worldWidth)
    case .equirectangular:
      return Size(width: placement.worldWidth, height: placement.worldWidth / 2)
    }
  }

  var kindNames: [String] { context.contents.cellKindNames }
  var scrollAxis: ScrollAxis? { nil }

  var byteCount: Int {
    layers.reduce(MemoryLayout<PreparedSpatial>.stride) { $0 + $1.byteCount }
      + context.options.byteCount + ordinals.byteCount + pieces.count
      * MemoryLayout<SpatialPieces.Piece>.stride * 3
      + added.count * MemoryLayout<PlacedItem?>.stride + (counts?.byteCount ?? 0)
      + memory.byteCount
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    if let search = ClusterSearch(self) { return search.appendElements(in: rect, to: &buffer) }
    for layer in layers { appendElements(of: layer, in: rect, to: &buffer) }
    for rank in added.indices { appendAdded(rank, meeting: rect, to: &buffer) }
  }

  /// Appends an added item if its frame meets a rect.
  func appendAdded(_ rank: Int, meeting rect: Rect, to buffer: inout ElementBuffer) {
    guard let frame = added[rank].map({ placement.frame(of: $0) }), frame.meets(rect),
      let current = pieces.currentOrdinal(ofAdded: rank)
    else { return }
    let path = ordinals.indexPath(at: current)
    buffer.append(
      LayoutElement(category: .cell, kind: kinds.kind(at: path), indexPath: path, frame: frame)
    )
  }

  private func appendElements(
    of layer: SpatialLayer,
    in rect: Rect,
    to buffer: inout ElementBuffer
  ) {
    layer.index.forEachLeaf(touching: rect, seenBy: placement) { slots in
      appendItems(in: slots, of: layer, meeting: rect, to: &buffer)
    }
  }

  /// Appends the items in some slots whose frames meet a rect.
  ///
  /// - Returns: whether to go on.
  // Called for each leaf: a call would retain all parts of the layout.
  @inline(__always)
  func appendItems(
    in slots: Range<Int>,
    of layer: SpatialLayer,
    meeting rect: Rect,
    to buffer: inout ElementBuffer
  ) -> Bool {
    let index = layer.index
    for slot in slots {
      let position = index.positions[slot]
      let known = index.size(at: slot)
      // Most frames in a leaf are elsewhere, and need not be looked up to know.
      if let known {
        guard placement.frame(at: position, size: known).meets(rect) else { continue }
      } else {
        guard placement.mayMeet(rect, at: position, largest: index.largestSize) else { continue }
      }
      guard let current = layer.currentOrdinal(inSlot: slot) else { continue }
      let path = ordinals.indexPath(at: current)
      let frame = placement.frame(at: position, size: known ?? size(at: path))
      guard frame.meets(rect) else { continue }
      buffer.append(
        LayoutElement(category: .cell, kind: kinds.kind(at: path), indexPath: path, frame: frame)
      )
    }
    return buffer.visit(slots.count) && !buffer.isFull
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    attributes(of: key, viewport: viewport, work: .unlimited)
  }

  /// Within limits: an item may be in a cluster of millions, many of which are gone.
  func attributes(
    of key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> LayoutAttributes? {
    guard kinds.contains(key) else { return nil }
    guard let item = self.item(at: key.indexPath, in: context.contents) else { return nil }
    guard let search = ClusterSearch(self) else {
      return LayoutAttributes(frame: placement.frame(of: item))
    }
    return search.attributes(of: key.indexPath, item, work: work)
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
    return placement.size(of: item - start, in: chunk)
  }

  /// The size that all items have; nil if they differ.
  ///
  /// - Complexity: O(sections)
  static func uniformSize(
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
  private func findFarCorner(_ work: LayoutWork) -> Point? {
    // Of a preview, what was looked at elsewhere counts as well.
    var corner = (sampling?.farthest).map { position in
      let frame = placement.frame(at: position, size: placement.size(width: nil, height: nil))
      return Point(x: frame.maxX, y: frame.maxY)
    }
    func include(_ point: Point) {
      corner = Point(x: max(corner?.x ?? point.x, point.x), y: max(corner?.y ?? point.y, point.y))
    }
    for layer in layers {
      let own = layer.index.farCorner(isWhole: layer.isWhole, work: work) {
        indexedFrame(in: layer, $0)
      }
      if let own { include(own) }
    }
    for case let item? in added {
      let frame = placement.frame(of: item)
      include(Point(x: frame.maxX, y: frame.maxY))
    }
    return corner
  }

  /// The frame in a slot of a layer; nil if its item is gone.
  func indexedFrame(in layer: SpatialLayer, _ slot: Int) -> Rect? {
    currentSize(in: layer, slot).map { size in
      placement.frame(at: layer.index.positions[slot], size: size)
    }
  }

  /// The size of the item in a slot of a layer; nil if it is gone.
  func currentSize(in layer: SpatialLayer, _ slot: Int) -> Size? {
    layer.currentOrdinal(inSlot: slot).map { ordinal in
      layer.index.size(at: slot) ?? size(at: ordinals.indexPath(at: ordinal))
    }
  }
}
