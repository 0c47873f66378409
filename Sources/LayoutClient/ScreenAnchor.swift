// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession

/// The positions of the visible items, by which a viewer restores its scroll position in a new
/// session. Items are identified by their keys, because their index paths may have changed.
struct ScreenAnchor {
  /// Item keys and positions, in the order in which they are tried.
  private var places: [(key: String, origin: Point)]

  /// Records the visible items.
  ///
  /// - Returns: nil if there is nothing to anchor to: the mode is `.none`, the viewport is at the
  ///   start of the content, or no visible item has a key.
  init?(_ mirror: ElementMirror, visible: Rect, mode: AnchorMode) {
    guard mode != .none, mode == .lastVisible || visible.origin != .zero else { return nil }
    let cells = mirror.elements.values.filter {
      $0.key.category == .cell && !$0.itemKey.isEmpty && $0.attributes.frame.meets(visible)
    }
    let sorted = cells.sorted { $0.key.indexPath < $1.key.indexPath }
    places = sorted.map { ($0.itemKey, $0.attributes.frame.origin) }
    if mode == .lastVisible { places.reverse() }
    if places.isEmpty { return nil }
  }

  /// How far the first recorded item that still exists has moved; nil if none is in the mirror.
  func displacement(in mirror: ElementMirror) -> Point? {
    for place in places {
      guard let slot = mirror.slot(ofItemKey: place.key), let element = mirror.elements[slot]
      else { continue }
      return element.attributes.frame.origin - place.origin
    }
    return nil
  }
}
