// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension CollectionRecord {
  /// Decodes a row.
  ///
  /// - Parameter row: has the columns of `selection`.
  /// - Throws: `StorageFault.damaged`, `UnexpectedValue`, `FieldReader.UnexpectedEnd`.
  init(_ row: Row, id: String) throws {
    try self.init(
      id: id,
      columns: (2 ... 10).map { try row.integer($0) },
      checksum: row.integer(11),
      description: (row.bytes(12), row.integer(13))
    )
  }

  /// Selects records; the caller appends a condition.
  static let selection = "\(columnsOfSelection) FROM collection \(join)"

  /// Selects all records in any order. Reads the table itself rather than an index, which may be
  /// damaged although the table is intact.
  static let scan = "\(columnsOfSelection) FROM collection NOT INDEXED \(join)"

  private static let columnsOfSelection = """
    SELECT number, id, incarnation, data_version, revision, section_count, item_count,
      create_seconds, create_nanoseconds, update_seconds, update_nanoseconds,
      collection.checksum, description.fields, description.checksum
    """

  private static let join = "LEFT JOIN description ON description.collection = number"
}
