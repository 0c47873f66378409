// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension SessionFrame {
  /// The number of elements in the frame, including those of its transition.
  public var elementCount: Int {
    upserts.count + (transition.map { $0.appearing.count + $0.disappearing.count } ?? 0)
  }

  /// The frame in parts of at most `limit` elements each, in the order in which they are to be
  /// sent. All but the last are marked as continued. A frame that fits is its only part.
  ///
  /// The offset adjustment and the content size are in the last part only, and the removed slots in
  /// the first.
  ///
  /// - Complexity: O(elements · parts)
  /// - Precondition: `limit` > 0.
  public func parts(maxElements limit: Int) -> [SessionFrame] {
    guard elementCount > limit else { return [self] }
    var rest = self
    var parts: [SessionFrame] = []
    while rest.elementCount > limit {
      var part = rest.takingElements(limit)
      part.isContinued = true
      part.contentSize = nil
      part.offsetAdjustment = .zero
      rest.removedSlots = []
      rest.scrollEffects = nil
      rest.sectionScrolls = nil
      parts.append(part)
    }
    parts.append(rest)
    return parts
  }

  /// Moves the first elements into a frame of their own.
  private mutating func takingElements(_ limit: Int) -> SessionFrame {
    var part = self
    part.upserts = Array(upserts.prefix(limit))
    part.keys = Array(keys.prefix(part.upserts.count))
    part.itemData = Array(itemData.prefix(part.upserts.count))
    upserts.removeFirst(part.upserts.count)
    keys.removeFirst(part.keys.count)
    itemData.removeFirst(part.itemData.count)
    guard let whole = transition else { return part }
    var room = limit - part.upserts.count
    let appearing = whole.appearing.prefix(room)
    room -= appearing.count
    let disappearing = whole.disappearing.prefix(room)
    var taken = FrameTransition(
      isAnimated: whole.isAnimated,
      fromDataVersion: whole.fromDataVersion
    )
    taken.appearing = Array(appearing)
    taken.disappearing = Array(disappearing)
    transition?.appearing.removeFirst(appearing.count)
    transition?.disappearing.removeFirst(disappearing.count)
    if !whole.keys.isEmpty {
      // The keys of `appearing` come first.
      let left = whole.appearing.count
      let keys = whole.keys
      taken.keys =
        Array(keys.prefix(appearing.count)) + keys[left ..< left + disappearing.count]
      transition?.keys =
        Array(keys[appearing.count ..< left]) + keys[(left + disappearing.count)...]
    }
    part.transition = taken
    return part
  }
}
