// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol

extension History {
  /// What is wrong with it; empty = everything that is promised was kept.
  ///
  /// - Parameter start: the collection at version 0.
  func violations(from start: ModelRows) -> [String] {
    faults + orderViolations + uniquenessViolations + bookmarkViolations + identityViolations
      + reliabilityViolations(from: start)
  }

  // MARK: - Ordered and Resumable

  /// Frames and versions only go forward, across resumes too; another session begins at 1.
  private var orderViolations: [String] {
    var found: [String] = []
    for (viewer, sights) in Dictionary(grouping: sights, by: \.viewer) {
      for (old, new) in zip(sights, sights.dropFirst()) {
        if new.dataVersion < old.dataVersion {
          found.append("Ordered: viewer \(viewer) went from v\(old.dataVersion) back")
        }
        if new.session == old.session, new.frame <= old.frame {
          found.append("Ordered: viewer \(viewer) saw frame \(new.frame) after \(old.frame)")
        }
        if new.session == old.session, !new.isKeyframe, new.frame != old.frame + 1 {
          found.append("Resumable: viewer \(viewer) saw delta \(new.frame) after \(old.frame)")
        }
        if new.session != old.session, !new.isKeyframe {
          found.append("Resumable: viewer \(viewer)'s new session begins with a delta")
        }
      }
    }
    return found
  }

  // MARK: - Unique

  /// Every version was made by one edit and came to the watcher once, in order and without gaps.
  private var uniquenessViolations: [String] {
    var found: [String] = []
    var makers: [UInt64: Change] = [:]
    for edit in edits {
      if let other = makers.updateValue(edit.change, forKey: edit.version), other != edit.change {
        found.append("Unique: v\(edit.version) was made by two edits")
      }
    }
    let byChange = Dictionary(grouping: edits) { $0.change.batchKeys }
    for (keys, edits) in byChange where keys != nil && Set(edits.map(\.version)).count > 1 {
      found.append("Unique: \(keys ?? []) were inserted by several versions")
    }
    let newest = edits.map(\.version).max() ?? 0
    if makers.count != Int(newest) {
      found.append("Unique: \(makers.count) edits led to v\(newest)")
    }
    if watched != Array(1 ... max(1, newest)), newest > 0 {
      found.append("Unique: the watcher got \(watched.count) batches up to v\(newest)")
    }
    return found
  }

  // MARK: - Bookmarkable

  /// After a bookmark nothing older comes.
  private var bookmarkViolations: [String] {
    bookmarks.compactMap { bookmark in
      let later = sights[bookmark.position...].first { $0.viewer == bookmark.viewer }
      guard let later, later.dataVersion < bookmark.dataVersion else { return nil }
      return "Bookmarkable: v\(later.dataVersion) came after a bookmark of v\(bookmark.dataVersion)"
    }
  }

  // MARK: - IdentityStable

  /// An item keeps its slot as long as it is in sight. Where frames were lost it may have left and
  /// come back in them.
  private var identityViolations: [String] {
    var found: [String] = []
    for (viewer, sights) in Dictionary(grouping: sights, by: \.viewer) {
      var slots: [String: UInt32] = [:]
      var session = ""
      var frame: UInt64 = 0
      for sight in sights {
        let now = Dictionary(
          sight.mirror.elements.values.map { ($0.itemKey, $0.slot) },
          uniquingKeysWith: { first, _ in first }
        )
        if sight.session == session, sight.frame == frame + 1 {
          for (key, slot) in now {
            guard let old = slots[key], old != slot else { continue }
            found.append("IdentityStable: viewer \(viewer)'s \(key) went from \(old) to \(slot)")
          }
        }
        (slots, session, frame) = (now, sight.session, sight.frame)
      }
    }
    return found
  }

  // MARK: - Reliable and Atomic

  /// Every mirror is the model at its version: no batch is missing, half there or there twice.
  private func reliabilityViolations(from start: ModelRows) -> [String] {
    var found: [String] = []
    var model = start
    var changes: [UInt64: Change] = [:]
    for edit in edits { changes[edit.version] = edit.change }
    let sights = Dictionary(grouping: sights, by: \.dataVersion)
    for version in 0 ... (sights.keys.max() ?? 0) {
      if version > 0 {
        guard let change = changes[version] else {
          return found + ["Reliable: nobody made v\(version)"]
        }
        model.apply(change)
      }
      guard let sights = sights[version] else { continue }
      var top = 0.0
      let frames = model.rows.map { row in
        defer { top += row.height }
        return (row: row, minY: top)
      }
      for sight in sights {
        let fault = sight.fault(against: frames, height: top)
        if let fault { found.append("Reliable: viewer \(sight.viewer) at v\(version): \(fault)") }
      }
    }
    return found
  }
}

extension History.Sight {
  /// What differs between the mirror and the rows that it should show.
  fileprivate func fault(
    against rows: [(row: ModelRows.Row, minY: Double)],
    height: Double
  ) -> String? {
    guard mirror.contentSize.height == height else {
      return "\(mirror.contentSize.height) points instead of \(height)"
    }
    for element in mirror.elements.values {
      let item = element.key.indexPath.item ?? -1
      guard rows.indices.contains(item), rows[item].row.key == element.itemKey else {
        return "\(element.itemKey) is not item \(item)"
      }
      let frame = element.attributes.frame
      guard frame.minY == rows[item].minY, frame.height == rows[item].row.height else {
        return "\(element.itemKey) is at \(frame)"
      }
    }
    let expected = rows.count {
      $0.minY < mirror.coverage.maxY && $0.minY + $0.row.height > mirror.coverage.minY
    }
    guard mirror.liveCount >= expected else {
      return "\(mirror.liveCount) elements where \(expected) are covered"
    }
    return nil
  }
}

extension Change {
  /// What names an insertion.
  fileprivate var batchKeys: [String]? {
    if case .insert(let keys, _) = self { keys } else { nil }
  }
}
