// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

/// A layout whose elements have been placed already: it makes an index of them.
public struct PlacedLayout: BoundedLayout {
  /// What was placed.
  public let placement: Placement
  /// The name of the layout that placed it.
  public let kindName: String

  /// A layout of these elements.
  ///
  /// - Parameter kindName: the name of the layout that placed them.
  public init(_ placement: Placement, kindName: String) {
    self.placement = placement
    self.kindName = kindName
  }

  /// Whether both are of one placement.
  public static func == (a: PlacedLayout, b: PlacedLayout) -> Bool {
    a.placement === b.placement && a.kindName == b.kindName
  }

  /// Hashes the identity of the placement.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(placement))
    hasher.combine(kindName)
  }

  /// Indexes the elements, if they are of these contents.
  ///
  /// - Complexity: O(elements)
  public func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout {
    PreparedPlacement(placement, context, work: work)
  }

  /// Elements that still exist keep their places.
  ///
  /// - Complexity: O(elements · log n)
  public func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    Self.following(prepared, by: change, within: work)
  }

  /// What was placed for a prepared layout; nil = it was made in another way.
  public static func placement(of prepared: any PreparedLayout) -> Placement? {
    (prepared as? PreparedPlacement)?.placement
  }

  /// Elements that still exist keep their places; none if another layout placed them.
  ///
  /// - Complexity: O(elements · log n)
  public static func following(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    let placement =
      (prepared as? PreparedPlacement)?.placement.following(change, within: work)
      ?? .empty(change.new)
    return PreparedPlacement(placement, context, work: work)
  }
}

/// Placed elements with an index of their frames.
struct PreparedPlacement: PreparedLayout {
  let context: LayoutContext
  let placement: Placement
  let kindNames: [String]
  private let ordinals: ItemOrdinals
  private let kinds: CellKinds
  let index: PlacedIndex

  init(_ placement: Placement, _ context: LayoutContext, work: LayoutWork) {
    self.context = context
    kindNames = context.contents.cellKindNames + placement.kindNames
    ordinals = ItemOrdinals(context.contents)
    kinds = CellKinds(context.contents)
    let bytes = placement.byteCount + placement.elements.count * 24
    // What takes too much memory is not indexed, since nobody uses it.
    self.placement = work.keep(bytes: bytes) ? placement : .empty(context.contents)
    index = PlacedIndex(self.placement, viewport: context.container.size, work: work)
  }

  var contentSize: Size { placement.contentSize }
  var scrollAxis: ScrollAxis? { placement.scrollAxis }
  var appendsInOrder: Bool { index.isInOrder }

  var byteCount: Int {
    placement.byteCount + index.frames.byteCount + ordinals.byteCount + context.options.byteCount
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let (frames, elements) = (index.frames, placement.elements)
    frames.forEachLeaf(touching: rect) { slots in
      for slot in slots {
        let element = elements[Int(frames.ordinals[slot])]
        if element.frame.meets(rect) { buffer.append(element) }
      }
      return buffer.visit(slots.count) && !buffer.isFull
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    guard let number = number(of: key), number != Placement.missing else { return nil }
    let element = placement.elements[Int(number)]
    return LayoutAttributes(
      frame: element.frame,
      alpha: element.alpha,
      zIndex: Int(element.zIndex)
    )
  }

  private func number(of key: ElementKey) -> UInt32? {
    if key.category == .cell {
      guard kinds.contains(key), let ordinal = ordinals.ordinal(of: key.indexPath),
        ordinal < placement.cells.count
      else { return nil }
      return placement.cells[ordinal]
    }
    guard let kind = placement.kindNames.firstIndex(of: key.kind) else { return nil }
    let number = UInt16(clamping: context.contents.cellKindNames.count + kind)
    let rank = LayoutElement.classRank(key.category, kind: number)
    return placement.others[Placement.Place(path: key.indexPath, rank: rank)]
  }
}
