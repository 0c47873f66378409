// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

/// Removes the sections and chunks of a collection within the caller's transaction, piece by piece:
/// a statement for millions of items might take longer than a statement may.
struct SnapshotRemoval {
  private let session: PostgresConnection.Session
  private let collection: Parameter
  /// Checked between pieces.
  private let isClosing: Flag

  /// Chunks of one piece, which have some megabytes.
  private static let chunks = 2048

  init(_ session: PostgresConnection.Session, collection: Int64, isClosing: Flag) {
    self.session = session
    self.collection = .integer(collection)
    self.isClosing = isClosing
  }

  /// - Throws: `StorageFault.closed` if the store is being closed; other faults.
  func run() throws {
    var last: (section: Int64, label: Int64)? = (.min, .min)
    while let start = last {
      if isClosing.isSet { throw StorageFault(.closed, "the store is being closed") }
      last = try removeChunks(after: start)
    }
    try session.run("DELETE FROM section WHERE collection = $1", [collection])
  }

  /// - Returns: the last chunk that was removed; nil = there are no more.
  private func removeChunks(
    after start: (section: Int64, label: Int64)
  ) throws -> (section: Int64, label: Int64)? {
    let removed = try session.rows(
      """
      DELETE FROM chunk WHERE collection = $1 AND (section, label) IN (
        SELECT section, label FROM chunk WHERE collection = $1 AND (section, label) > ($2, $3)
        ORDER BY section, label LIMIT \(Self.chunks))
      RETURNING section, label
      """,
      [collection, .integer(start.section), .integer(start.label)]
    )
    guard removed.count == Self.chunks else { return nil }
    return try removed.map { (section: try $0.integer(0), label: try $0.integer(1)) }.max(by: <)
  }
}
