// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// A section of a stored snapshot that is to change.
struct SectionEdit: Sendable {
  var number: UInt32
  /// Where it stands in the snapshot; nil = nowhere yet.
  var oldLabel: UInt64?
  /// nil = it goes.
  var newLabel: UInt64?
  var header: [UInt8]
  /// Once it has been changed.
  var chunkCount: Int
  var removedChunks: [UInt64]
  var places: [PlaceRow] = []
}

extension Database {
  /// Changes the sections of a stored snapshot. Chunks that stand there no longer are garbage; the
  /// new ones have been inserted.
  ///
  /// - Throws: `StorageFault.damaged` where what is stored is not what was changed.
  func apply(_ edits: [SectionEdit], to root: inout SnapshotRoot) throws {
    // A label that becomes free here may be taken below.
    var sections: [SectionRow] = []
    for edit in edits {
      var section = SectionRow(label: edit.newLabel ?? 0, number: edit.number, header: edit.header)
      if let old = edit.oldLabel {
        let row = try removeSection(edit.number, at: old, from: root.number)
        root.sectionCount -= 1
        root.digest &-= row.checksum(in: root.number)
        (section.chunkCount, section.digest) = (row.chunkCount, row.digest)
      }
      let news = edit.places.reduce(into: [:]) { $0[$1.label] = $1 }
      for label in edit.removedChunks {
        let new = news[label]
        section.digest &-= try replaceChunk(at: label, of: edit.number, by: new, in: root.number)
        section.digest &+= new?.checksum ?? 0
        guard new == nil else { continue }
        section.chunkCount -= 1
        root.chunkCount -= 1
      }
      sections.append(section)
    }
    for (edit, var section) in zip(edits, sections) {
      let replaced = Set(edit.removedChunks)
      for place in edit.places where !replaced.contains(place.label) {
        try insert(place, into: root.number)
        section.digest &+= place.checksum
        section.chunkCount += 1
        root.chunkCount += 1
      }
      guard section.chunkCount == edit.chunkCount else {
        throw StorageFault(
          .damaged,
          "section \(edit.number) comes to \(section.chunkCount) chunks instead of "
            + "\(edit.chunkCount)"
        )
      }
      guard edit.newLabel != nil else { continue }
      try insert(section, into: root.number)
      root.sectionCount += 1
      root.digest &+= section.checksum(in: root.number)
    }
  }

  private func removeSection(
    _ number: UInt32,
    at label: UInt64,
    from snapshot: Int64
  ) throws -> SectionRow {
    let found = try row(
      "SELECT \(Self.sectionColumns) FROM section WHERE snapshot = ? AND label = ?",
      [snapshot, label.stored]
    )
    guard let section = try found.map({ try Self.section($0, in: snapshot) }),
      section.number == number
    else { throw StorageFault(.damaged, "section \(number) is missing") }
    try run(
      "DELETE FROM section WHERE snapshot = ? AND label = ?",
      [snapshot, label.stored]
    )
    return section
  }

  /// - Parameter new: nil = none stands there from now on.
  /// - Returns: the checksum of the chunk that stood there.
  private func replaceChunk(
    at label: UInt64,
    of section: UInt32,
    by new: PlaceRow?,
    in snapshot: Int64
  ) throws -> Int64 {
    let place: StatementArguments = [snapshot, Int64(section), label.stored]
    guard
      let row = try row(
        "SELECT chunk, checksum FROM place WHERE snapshot = ? AND section = ? AND label = ?",
        place
      )
    else { throw StorageFault(.damaged, "a chunk of section \(section) is missing") }
    let checksum = try row.integer(1)
    try run(
      "INSERT OR IGNORE INTO stale (chunk, snapshot) VALUES (?, ?)",
      [try row.integer(0), snapshot]
    )
    if let new {
      try run(
        """
        UPDATE place SET chunk = ?, checksum = ?
        WHERE snapshot = ? AND section = ? AND label = ?
        """,
        [new.chunk, new.checksum] + place
      )
    } else {
      try run("DELETE FROM place WHERE snapshot = ? AND section = ? AND label = ?", place)
    }
    return checksum
  }
}
