// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// A change of one section of a stored snapshot.
struct SectionEdit: Sendable {
  /// The section's number, which it keeps while it exists.
  var number: UInt32
  /// The label under which it is stored; nil = the section is new.
  var oldLabel: UInt64?
  /// The label under which it will be stored; nil = the section is removed.
  var newLabel: UInt64?
  /// The encoded section without its items, after the change.
  var header: [UInt8]
  /// The number of chunks after the change; 0 if the section is removed.
  var chunkCount: Int
  /// Labels of the chunks that are removed or replaced.
  var removedChunks: [UInt64]
  /// The new chunks. One with the label of a removed chunk replaces it.
  var places: [PlaceRow] = []
}

extension Database {
  /// Applies edits to a stored snapshot. Chunks that it no longer refers to become stale. The
  /// caller has inserted the new chunks.
  ///
  /// - Throws: `StorageFault.damaged` if the stored snapshot does not match the edits.
  func apply(_ edits: [SectionEdit], to root: inout SnapshotRoot) throws {
    // First pass: removals. A label that becomes free here may be reused in the second pass.
    var sections: [SectionRow] = []
    for edit in edits {
      var section = SectionRow(label: edit.newLabel ?? 0, number: edit.number, header: edit.header)
      if let old = edit.oldLabel {
        let row = try removeSection(edit.number, at: old, from: root.number)
        root.sectionCount &-= 1
        root.digest &-= row.checksum(in: root.number)
        (section.chunkCount, section.digest) = (row.chunkCount, row.digest)
      }
      let newPlaces = edit.places.reduce(into: [:]) { $0[$1.label] = $1 }
      for label in edit.removedChunks {
        let new = newPlaces[label]
        section.digest &-= try replaceChunk(at: label, of: edit.number, by: new, in: root.number)
        section.digest &+= new?.checksum ?? 0
        guard new == nil else { continue }
        section.chunkCount &-= 1
        root.chunkCount &-= 1
      }
      sections.append(section)
    }
    for (edit, var section) in zip(edits, sections) {
      let replaced = Set(edit.removedChunks)
      for place in edit.places where !replaced.contains(place.label) {
        try insert(place, into: root.number)
        section.digest &+= place.checksum
        section.chunkCount &+= 1
        root.chunkCount &+= 1
      }
      guard section.chunkCount == edit.chunkCount else {
        throw StorageFault(
          .damaged,
          "section \(edit.number) has \(section.chunkCount) chunks after a change instead of "
            + "\(edit.chunkCount)"
        )
      }
      guard edit.newLabel != nil else { continue }
      try insert(section, into: root.number)
      root.sectionCount &+= 1
      root.digest &+= section.checksum(in: root.number)
    }
  }

  /// Removes the row of a section, but not its chunks.
  ///
  /// - Throws: `StorageFault.damaged` if another section or none has this label.
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
    else { throw StorageFault(.damaged, "section \(number) is missing under its label \(label)") }
    try run(
      "DELETE FROM section WHERE snapshot = ? AND label = ?",
      [snapshot, label.stored]
    )
    return section
  }

  /// Replaces or removes the chunk at a label, and makes the old one stale.
  ///
  /// - Parameter new: the chunk that replaces it; nil = it is removed.
  /// - Returns: the checksum of the place that was replaced or removed.
  /// - Throws: `StorageFault.damaged` if there is no chunk at this label.
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
    else {
      throw StorageFault(.damaged, "section \(section) has no chunk under its label \(label)")
    }
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
