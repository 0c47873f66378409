// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutProtocol
import LayoutSession

/// Measures cells like a renderer that shows text in them, in lines of characters of equal width
/// that break at the cell's edge.
struct TextMeasurer {
  /// The range of text sizes, in points.
  static let textSizes = 4.0 ... 200

  /// The width of a character, as a fraction of the text size.
  private static let characterWidth = 0.5
  private static let lineHeight = 1.25
  /// The distance between the text and each edge of its cell, in points.
  private static let margin = 8.0

  /// The text size, in points.
  private let textSize: Double
  /// The size that was last reported for each slot.
  private var reported: [UInt32: Size] = [:]

  /// - Parameter textSize: in points, within `textSizes`.
  init(textSize: Double) { self.textSize = textSize }

  /// The size of a cell with a text, in points.
  ///
  /// - Parameter width: the width of the cell, which stays.
  func size(of text: String, width: Double) -> Size {
    let inLine = (width - 2 * Self.margin) / (textSize * Self.characterWidth)
    let perLine = Int(min(max(1, inLine.rounded(.down)), 1e6))
    let lines = max(1, (text.count + perLine - 1) / perLine)
    return Size(
      width: width,
      height: Double(lines) * textSize * Self.lineHeight + 2 * Self.margin
    )
  }

  /// Forgets the sizes of slots that were given to other elements.
  mutating func forget(_ change: MirroredChange) {
    if change.isKeyframe { reported = [:] }
    for element in change.removed { reported[element.slot] = nil }
  }

  /// The sizes of the cells that differ from those last reported.
  ///
  /// - Returns: nil = there are none.
  /// - Complexity: O(live elements)
  mutating func report(on mirror: ElementMirror) -> MeasurementReport? {
    var report = MeasurementReport(observedFrame: mirror.frameSequence, slots: [], sizes: [])
    for (slot, element) in mirror.elements where element.key.category == .cell {
      let width = element.attributes.frame.size.width
      guard width > 0, report.slots.count < Self.mostSizes else { continue }
      let size = size(of: Self.text(of: element), width: width)
      guard reported[slot] != size else { continue }
      reported[slot] = size
      report.slots.append(slot)
      report.sizes.append(size)
    }
    return report.slots.isEmpty ? nil : report
  }

  /// The most sizes that a server accepts in one report.
  private static let mostSizes = 65_536

  /// The text of a cell.
  private static func text(of element: MirroredElement) -> String {
    element.itemData.isEmpty ? element.itemKey : element.itemData
  }
}
