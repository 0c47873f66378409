// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutProtocol
import LayoutSession

/// Measures cells as a renderer does that shows text in them: lines of characters of one width, which end where the
/// cell does.
struct TextMeasurer {
  /// The range of text sizes, in points.
  static let textSizes = 4.0 ... 200

  /// Of a character's size.
  private static let characterWidth = 0.5
  private static let lineHeight = 1.25
  /// Between the text and each edge of its cell, in points.
  private static let margin = 8.0

  /// In points.
  private let textSize: Double
  /// The size that was reported of the element in each slot.
  private var reported: [UInt32: Size] = [:]

  /// - Parameter textSize: in points, within `textSizes`.
  init(textSize: Double) { self.textSize = textSize }

  /// The size of a cell with a text, in points.
  ///
  /// - Parameter width: that of the cell, which it keeps.
  func size(of text: String, width: Double) -> Size {
    let inLine = (width - 2 * Self.margin) / (textSize * Self.characterWidth)
    let perLine = Int(min(max(1, inLine.rounded(.down)), 1e6))
    let lines = max(1, (text.count + perLine - 1) / perLine)
    return Size(
      width: width,
      height: Double(lines) * textSize * Self.lineHeight + 2 * Self.margin
    )
  }

  /// The elements of some slots are others now.
  mutating func forget(_ change: MirroredChange) {
    if change.isKeyframe { reported = [:] }
    for element in change.removed { reported[element.slot] = nil }
  }

  /// The sizes of the cells for which they are others than when they were reported last.
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

  /// The most sizes that a server takes in one report.
  private static let mostSizes = 65_536

  /// What a cell shows.
  private static func text(of element: MirroredElement) -> String {
    element.itemData.isEmpty ? element.itemKey : element.itemData
  }
}
