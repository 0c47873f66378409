// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutSession

/// Describes prefetch candidates and sightings in words.
enum AttentionText {
  private static let limit = 12

  /// One line, such as "get ready 0:41 "a41", 0:42; 3 shown; 2 called off".
  static func line(_ change: PrefetchChange) -> String {
    var parts: [String] = []
    if !change.items.isEmpty {
      var names = change.items.prefix(limit).map { name($0.key, $0.itemKey) }
      if change.items.count > limit { names.append("and \(change.items.count - limit) more") }
      parts.append("get ready " + names.joined(separator: ", "))
    }
    if !change.shown.isEmpty { parts.append("\(change.shown.count.grouped) shown") }
    if !change.cancelled.isEmpty { parts.append("\(change.cancelled.count.grouped) called off") }
    return parts.joined(separator: "; ")
  }

  /// One line for each sighting that begins or ends.
  static func lines(_ change: VisibilityChange) -> [String] {
    var lines = change.began.map { sighting in
      "seen #\(sighting.number) by rule \(sighting.rule): \(name(sighting.key, sighting.itemKey)), "
        + "for \(seconds(sighting.seenFor)) s"
    }
    lines += change.ended.map { "seen no more #\($0.number), after \(seconds($0.seenFor)) s" }
    guard lines.count > limit else { return lines }
    return lines.prefix(limit) + ["and \(lines.count - limit) more"]
  }

  private static func name(_ key: ElementKey, _ itemKey: String) -> String {
    let category = key.category == .cell ? "" : "\(key.category.name) \(key.kind) "
    return category + key.indexPath.text + (itemKey.isEmpty ? "" : " \"\(itemKey)\"")
  }

  private static func seconds(_ duration: Duration) -> String { (duration / .seconds(1)).text() }
}
