// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutProtocol

/// Checks that the visible content stays in place while others edit: of the items that are visible
/// before and after a frame, at least one must not have moved on screen.
///
/// Items are identified by their keys, so data without keys cannot be checked.
struct Stillness {
  private let viewport: Size
  private var layoutVersion: UInt64 = 0
  private var origins: [String: Point] = [:]

  init(viewport: Size) { self.viewport = viewport }

  mutating func begin(_ mirror: ElementMirror) { remember(mirror) }

  /// Whether all visible items moved with a frame.
  ///
  /// - Parameter offset: the content offset after the frame, including its adjustment.
  mutating func jumped(
    to mirror: ElementMirror,
    at offset: Point,
    _ change: MirroredChange
  ) -> Bool {
    defer { remember(mirror) }
    // A new layout moves elements by design. At the start of the content, the start stays in view
    // instead of an item.
    guard mirror.layoutVersion == layoutVersion, offset != .zero else { return false }
    let before = offset - change.offsetAdjustment
    var isAnyInSight = false
    for element in mirror.elements.values {
      guard let old = origins[element.itemKey] else { continue }
      let new = element.attributes.frame.origin
      let isInSight =
        element.attributes.frame.meets(Rect(origin: offset, size: viewport))
        && Rect(origin: old, size: element.attributes.frame.size)
          .meets(Rect(origin: before, size: viewport))
      guard isInSight else { continue }
      isAnyInSight = true
      if (new - old - change.offsetAdjustment).isWithin(1 / 64) { return false }
    }
    // At the end of content that became shorter, items have to move.
    return isAnyInSight && !isAtEnd(offset, of: mirror.contentSize)
  }

  private func isAtEnd(_ offset: Point, of content: Size) -> Bool {
    offset.y + viewport.height >= content.height && offset.x + viewport.width >= content.width
  }

  private mutating func remember(_ mirror: ElementMirror) {
    layoutVersion = mirror.layoutVersion
    origins = [:]
    for element in mirror.elements.values
    where element.key.category == .cell && !element.itemKey.isEmpty {
      origins[element.itemKey] = element.attributes.frame.origin
    }
  }
}

extension Point {
  fileprivate func isWithin(_ distance: Double) -> Bool {
    x.magnitude <= distance && y.magnitude <= distance
  }
}
