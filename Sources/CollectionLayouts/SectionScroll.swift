// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// A section that scrolls by itself, across the axis along which the content scrolls. Lengths are
/// in points.
public struct SectionScroll: Hashable, Sendable {
  /// Where its items are seen, in content coordinates.
  public var frame: Rect
  /// The length of its content along its own axis, its insets included.
  public var contentLength: Double
  /// The least offset that it may have.
  public var minimumOffset: Double
  /// The greatest offset that it may have.
  public var maximumOffset: Double
  /// The current offset, within these two.
  public var offset: Double
  /// How far its items move for each point of the offset.
  public var direction: Point
  /// Whether its items have the same attributes at all offsets but for their place.
  public var isRigid: Bool

  /// Makes a description of a section.
  public init(
    frame: Rect,
    contentLength: Double,
    minimumOffset: Double,
    maximumOffset: Double,
    offset: Double,
    direction: Point,
    isRigid: Bool
  ) {
    self.frame = frame
    self.contentLength = contentLength
    self.minimumOffset = minimumOffset
    self.maximumOffset = maximumOffset
    self.offset = offset
    self.direction = direction
    self.isRigid = isRigid
  }

  /// How far its items have moved from their places at offset 0.
  public var displacement: Point { Point(x: direction.x * offset, y: direction.y * offset) }
}

extension PreparedSections {
  /// A section that scrolls by itself; nil for other sections.
  ///
  /// - Complexity: O(log sections)
  public func sectionScroll(_ section: Int, viewport: Viewport) -> SectionScroll? {
    guard let (solved, start) = self.section(at: section),
      let body = solved.body as? CompositionalBody, body.isOrthogonal
    else { return nil }
    let axis = environment.axis
    let isReversed = placement.isMirrored && axis == .vertical
    let insets = max(0, environment.crossLength - body.visibleLength)
    return SectionScroll(
      frame: placement.rect(
        AxisRect(
          main: start + solved.bodyMain,
          cross: solved.bodyCross,
          mainLength: body.length,
          crossLength: environment.crossLength
        )
      ),
      contentLength: body.strip.length + insets,
      minimumOffset: body.minimumOffset,
      maximumOffset: body.maximumOffset,
      offset: body.clamped(viewport.sectionOffsets[section]),
      direction: axis.point(main: 0, cross: isReversed ? 1 : -1),
      isRigid: body.effects.isEmpty
    )
  }
}
