// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutProtocol

/// Describes an animated frame in words.
enum TransitionText {
  private static let limit = 12

  static func summary(_ change: MirroredChange) -> String {
    let appearing = Set(change.appearing.map(\.slot))
    let moving = Set(change.upserts).subtracting(appearing).count
    return "\(change.appearing.count) appear, \(change.disappearing.count) disappear, "
      + "\(moving) change"
  }

  /// One line for each element that appears or disappears, with its initial or final attributes.
  static func lines(_ change: MirroredChange, _ mirror: ElementMirror) -> [String] {
    var lines: [String] = []
    for initial in change.appearing {
      guard let element = mirror.elements[initial.slot] else { continue }
      lines.append("+ \(name(element)) " + path(initial.attributes, element.attributes))
    }
    let before = Dictionary(change.removed.map { ($0.slot, $0) }) { first, _ in first }
    for final in change.disappearing {
      guard let element = before[final.slot] else { continue }
      lines.append("- \(name(element)) " + path(element.attributes, final.attributes))
    }
    guard lines.count > limit else { return lines }
    return lines.prefix(limit) + ["and \(lines.count - limit) more"]
  }

  private static func name(_ element: MirroredElement) -> String {
    let kind = element.key.kind.isEmpty ? "" : " \(element.key.kind)"
    let key = element.itemKey.isEmpty ? "" : " \"\(element.itemKey)\""
    return "\(element.key.category.name)\(kind) \(element.key.indexPath.text)\(key)"
  }

  private static func path(_ from: LayoutAttributes, _ to: LayoutAttributes) -> String {
    var parts: [String] = []
    if from.frame != to.frame {
      parts.append("from \(from.frame.text) to \(to.frame.text)")
    } else {
      parts.append("at \(to.frame.text)")
    }
    if from.alpha != to.alpha { parts.append("alpha \(from.alpha.text()) to \(to.alpha.text())") }
    if from.transform != to.transform { parts.append("transformed") }
    return parts.joined(separator: ", ")
  }
}
