// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Placed elements with an index of their frames.
struct PreparedPlacement: PreparedLayout {
  let context: LayoutContext
  let placement: Placement
  private let ordinals: ItemOrdinals
  private let kinds: CellKinds
  let index: PlacedIndex

  init(_ placement: Placement, _ context: LayoutContext, work: LayoutWork) {
    self.context = context
    ordinals = ItemOrdinals(context.contents)
    kinds = CellKinds(context.contents)
    let bytes = placement.byteCount + placement.elements.count * 24
    // What takes too much memory is not indexed, since nobody uses it.
    self.placement = work.keep(bytes: bytes) ? placement : .empty(context.contents)
    index = PlacedIndex(self.placement, viewport: context.container.size, work: work)
  }

  var kindNames: [String] { context.contents.cellKindNames + placement.kindNames }
  func kindName(_ number: Int) -> String? { kindName(number, own: placement.kindNames) }
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
