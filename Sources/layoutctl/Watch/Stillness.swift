// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutProtocol

/// Judges whether what somebody looks at stands still while others edit: of the items that were in
/// sight before a frame and after it, one at least stands where it stood.
///
/// Items are known by their keys, so that data without keys is not judged.
struct Stillness {
  private let viewport: Size
  private var layoutVersion: UInt64 = 0
  private var origins: [String: Point] = [:]

  init(viewport: Size) { self.viewport = viewport }

  mutating func begin(_ mirror: ElementMirror) { remember(mirror) }

  /// - Parameter offset: after the frame, with its adjustment.
  mutating func jumped(
    to mirror: ElementMirror,
    at offset: Point,
    _ change: MirroredChange
  ) -> Bool {
    defer { remember(mirror) }
    // Another layout stands elsewhere by design, and so does the start of content that was there.
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
    // At the end of content that grew shorter there is no room to stand still.
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
