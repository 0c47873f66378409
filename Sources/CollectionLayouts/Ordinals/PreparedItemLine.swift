// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A prepared layout of all items in one line, in which the look of an item depends on its distance
/// from the middle of the viewport: a carousel or a stack.
///
/// A conforming type says what items look like and which of them can be seen.
protocol PreparedItemLine: PreparedLayout {
  /// The items in their line.
  var line: ItemLine { get }

  /// The item that is in the middle at an offset; a fraction between two items.
  func position(atOffset offset: Double) -> Double

  /// The items that may meet a rect.
  ///
  /// - Parameter position: the result of `position(atOffset:)` for `offset`.
  func candidates(in rect: Rect, offset: Double, position: Double) -> Range<Int>

  /// The attributes of an item.
  ///
  /// - Parameter ordinal: the item's number, counted over all sections.
  func attributes(of ordinal: Int, offset: Double, position: Double) -> LayoutAttributes
}

extension PreparedItemLine {
  var contentSize: Size { line.contentSize }
  var kindNames: [String] { context.contents.cellKindNames }
  var scrollAxis: ScrollAxis? { line.axis }
  var scrollDependence: ScrollDependence { .everything }
  var byteCount: Int {
    MemoryLayout<Self>.stride + context.options.byteCount + line.byteCount
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let offset = line.offset(of: viewport)
    let position = position(atOffset: offset)
    let range = candidates(in: rect, offset: offset, position: position)
    line.ordinals.forEach(in: range) { ordinal, path in
      let attributes = attributes(of: ordinal, offset: offset, position: position)
      if !attributes.isHidden, attributes.boundingBox.meets(rect) {
        buffer.append(
          attributes,
          category: .cell,
          kind: line.kinds.kind(at: path),
          indexPath: path
        )
      }
      return buffer.visit(1) && !buffer.isFull
    }
  }

  /// Items follow each other as their frames do, wherever they are seen.
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress? {
    axis == line.axis ? line.progress(at: place) : nil
  }

  /// The attributes of a cell. A cell out of sight is hidden.
  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    let offset = line.offset(of: viewport)
    return line.ordinal(of: key).map {
      attributes(of: $0, offset: offset, position: position(atOffset: offset))
    }
  }

  /// Comes to rest with an item in the middle.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? {
    section == nil
      ? line.restingOffset(
        proposed: proposed,
        velocity: velocity,
        viewport: viewport,
        isLimitedToOne: context.options.endsAtNextTarget
      ) : nil
  }
}
