// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession

/// Where items in sight stood: by it a viewer finds its place again in a session that knows nothing
/// of the one before. Items are known by the data's own keys, for their index paths may have moved.
struct ScreenAnchor {
  /// In the order in which they are to be tried.
  private var places: [(key: String, origin: Point)]

  /// - Returns: nil where nothing is to stay still: by choice, at the start of the content, or
  ///   because no item in sight has a key.
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

  /// How far the first of the items that are still there has moved; nil = none is in the mirror.
  func displacement(in mirror: ElementMirror) -> Point? {
    for place in places {
      guard let slot = mirror.slot(ofItemKey: place.key), let element = mirror.elements[slot]
      else { continue }
      return element.attributes.frame.origin - place.origin
    }
    return nil
  }
}
