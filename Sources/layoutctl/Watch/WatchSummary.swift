// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// The summary of a viewer's session.
struct WatchSummary: Equatable {
  var frames = 0
  var keyframes = 0
  var added = 0
  var changed = 0
  var removed = 0
  var largestLiveCount = 0
  var checks = 0
  /// The number of inconclusive checks: the collection changed during the check.
  var overtaken = 0
  var mismatches = 0
  var notices = 0
  var reconnects = 0
  /// The number of frames after which no visible item was where it had been.
  var jumps = 0

  /// Whether the server did not answer at the end.
  var isServerAway = false

  /// The number of items to get ready.
  var prefetched = 0
  /// The number of sightings.
  var seen = 0
  /// The number of sizes that were reported.
  var measured = 0

  func text(seconds: Double) -> String {
    var parts = [
      "\(frames.counted("frame")) (\(keyframes.counted("keyframe")))",
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
    if measured > 0 { parts.append("\(measured.grouped) sizes measured") }
    if prefetched > 0 { parts.append("\(prefetched.grouped) items prefetched") }
    if seen > 0 { parts.append("\(seen.grouped) sightings") }
    parts.append("\(seconds.text()) s")
    return parts.joined(separator: "; ")
  }
}

/// The changes of one frame.
struct FrameCounts: Equatable {
  var added = 0
  var changed = 0
  var removed = 0

  /// Counts the changes of a frame.
  ///
  /// - Parameter slots: the slots in use before the frame; updated to those after it.
  init(_ change: MirroredChange, slots: inout Set<UInt32>) {
    let emptied = Set(change.removed.map(\.slot))
    let before = slots
    slots.subtract(emptied)
    // A slot with a shifted index path may be listed a second time.
    for slot in Set(change.upserts) {
      if slots.insert(slot).inserted { added += 1 } else { changed += 1 }
    }
    if change.isKeyframe {
      // A keyframe contains all elements; only those whose slot was empty before are new.
      let filled = Set(change.upserts)
      added = filled.subtracting(before).count
      changed = filled.intersection(before).count
      removed = before.subtracting(filled).count
    } else {
      removed = emptied.count
    }
  }
}
