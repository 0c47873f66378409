// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// What a viewer saw.
struct WatchSummary: Equatable {
  var frames = 0
  var keyframes = 0
  var added = 0
  var changed = 0
  var removed = 0
  var largestLiveCount = 0
  var checks = 0
  /// Checks that told nothing, since the collection had changed meanwhile.
  var overtaken = 0
  var mismatches = 0
  var notices = 0
  var reconnects = 0
  /// Frames after which nothing in sight stood where it had stood.
  var jumps = 0

  func text(seconds: Double) -> String {
    var parts = [
      "\(frames.grouped) frames (\(keyframes.grouped) keyframes)",
      "\(added.grouped) elements added, \(changed.grouped) changed, \(removed.grouped) removed",
      "at most \(largestLiveCount.grouped) live",
    ]
    if checks > 0 || overtaken > 0 {
      let rest = overtaken > 0 ? " (\(overtaken.grouped) overtaken by edits)" : ""
      parts.append("\(checks.grouped) states verified\(rest), \(mismatches.grouped) wrong")
    } else if mismatches > 0 {
      parts.append("\(mismatches.grouped) frames wrong")
    }
    if reconnects > 0 { parts.append("reconnected \(reconnects.grouped)×") }
    if jumps > 0 { parts.append("jumped \(jumps.grouped)×") }
    parts.append("\(seconds.text()) s")
    return parts.joined(separator: "; ")
  }
}

/// What one frame did to the elements.
struct FrameCounts: Equatable {
  var added = 0
  var changed = 0
  var removed = 0

  /// - Parameter slots: those filled before the frame; made those filled after it.
  init(_ change: MirroredChange, slots: inout Set<UInt32>) {
    let emptied = Set(change.removed.map(\.slot))
    let before = slots
    slots.subtract(emptied)
    // Shifted index paths name a slot once more.
    for slot in Set(change.upserts) {
      if slots.insert(slot).inserted { added += 1 } else { changed += 1 }
    }
    if change.isKeyframe {
      // All elements come again; only those whose slot was empty before are new.
      let filled = Set(change.upserts)
      added = filled.subtracting(before).count
      changed = filled.intersection(before).count
      removed = before.subtracting(filled).count
    } else {
      removed = emptied.count
    }
  }
}
