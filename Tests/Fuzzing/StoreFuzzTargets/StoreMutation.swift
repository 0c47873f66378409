// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRDB

/// Reads from the bytes of an input what is to be done to the files of a store. Bytes that are
/// missing count as 0.
struct StoreMutation {
  private var input: ArraySlice<UInt8>
  /// Kinds of what is done to rows once the files are written.
  private var rowEdits: [RowEdit] = []

  private struct RowEdit {
    var column: Int
    var value: Int64
    var row: Int
  }

  init(_ input: [UInt8]) { self.input = input[...] }

  private mutating func byte() -> UInt8 { input.popFirst() ?? 0 }

  private mutating func number(_ count: Int) -> UInt64 {
    (0 ..< count).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
  }

  private mutating func index(below count: Int) -> Int {
    count == 0 ? 0 : Int(number(3) % UInt64(count))
  }

  // MARK: - Bytes

  /// Up to eight changes of the files; edits of rows are remembered for `forgeRows`.
  mutating func damage(_ main: inout [UInt8], _ log: inout [UInt8]) {
    for _ in 0 ... Int(byte() % 8) {
      switch byte() % 8 {
      case 0: main.flip(at: index(below: main.count), by: byte())
      case 1: log.flip(at: index(below: log.count), by: byte())
      case 2: main.removeSubrange(index(below: main.count + 1)...)
      case 3: log.removeSubrange(index(below: log.count + 1)...)
      case 4: main.clear(from: index(below: main.count), count: 512)
      case 5: log.clear(from: index(below: log.count), count: 512)
      default:
        let edit = RowEdit(
          column: Int(byte()),
          value: Self.values[Int(byte()) % Self.values.count],
          row: Int(byte())
        )
        rowEdits.append(edit)
      }
    }
  }

  private static let values: [Int64] = [
    0, 1, -1, 2, 25, 29, 1 << 16, 1 << 31, 1 << 32, 1 << 61, 1 << 62, .max, .min, .max - 1,
  ]

  // MARK: - Rows

  /// Changes numbers in rows, and makes their checksums right again: what somebody writes who knows
  /// the format.
  ///
  /// - Returns: whether rows were changed, so that contents need not be those of their version.
  func forgeRows(of path: String) -> Bool {
    guard !rowEdits.isEmpty else { return false }
    // What is damaged already may refuse.
    guard let queue = try? DatabaseQueue(path: path) else { return true }
    defer { try? queue.close() }
    for edit in rowEdits {
      let (table, column) = Self.columns[edit.column % Self.columns.count]
      try? queue.write { database in
        let sql = """
          UPDATE OR IGNORE \(table) SET \(column) = ? WHERE rowid =
            (SELECT rowid FROM \(table) LIMIT 1 OFFSET ?)
          """
        let key = Self.keys[table] ?? "rowid"
        try database.execute(
          sql: sql.replacing("rowid", with: key),
          arguments: [edit.value, edit.row % 8]
        )
        try RowSealer.seal(table, in: database)
      }
    }
    return true
  }

  private static let columns = [
    ("collection", "data_version"), ("collection", "incarnation"), ("collection", "revision"),
    ("collection", "section_count"), ("collection", "item_count"),
    ("collection", "update_seconds"), ("collection", "update_nanoseconds"),
    ("batch", "version"), ("batch", "seconds"), ("batch", "nanoseconds"),
    ("request", "version"), ("request", "seconds"),
    ("snapshot", "version"), ("snapshot", "number"), ("snapshot", "section_count"),
    ("snapshot", "chunk_count"), ("snapshot", "digest"),
    ("section", "label"), ("section", "number"), ("section", "chunk_count"),
    ("place", "label"), ("place", "chunk"), ("place", "section"), ("chunk", "number"),
    ("garbage", "number"), ("stale", "chunk"),
  ]

  /// Columns that tell rows apart where there is no rowid.
  private static let keys = ["request": "version", "section": "label", "place": "label"]
}

extension [UInt8] {
  fileprivate mutating func flip(at index: Int, by mask: UInt8) {
    if indices.contains(index) { self[index] ^= Swift.max(1, mask) }
  }

  fileprivate mutating func clear(from start: Int, count: Int) {
    for index in start ..< Swift.min(start + count, self.count) { self[index] = 0 }
  }
}

/// Makes the checksums of rows right, as the storage computes them.
enum RowSealer {
  static func seal(_ table: String, in database: Database) throws {
    switch table {
    case "collection":
      try seal(
        database,
        table,
        key: ["number"],
        columns: [
          "id", "incarnation", "data_version", "revision", "section_count", "item_count",
          "create_seconds", "create_nanoseconds", "update_seconds", "update_nanoseconds",
        ]
      )
    case "batch":
      try seal(
        database,
        table,
        key: ["collection", "version"],
        columns: ["collection", "version", "request_id", "seconds", "nanoseconds", "payload"]
      )
    case "request":
      try seal(
        database,
        table,
        key: ["collection", "version"],
        columns: ["collection", "version", "request_id", "seconds", "nanoseconds"]
      )
    case "snapshot":
      // The name of the only kind is empty.
      try seal(
        database,
        table,
        key: ["collection"],
        columns: [
          "collection", "number", "version", "x''", "section_count", "chunk_count", "digest",
        ]
      )
    case "section":
      try seal(
        database,
        table,
        key: ["snapshot", "label"],
        columns: ["snapshot", "label", "number", "header", "chunk_count", "digest"]
      )
    default: break
    }
  }

  private static func seal(
    _ database: Database,
    _ table: String,
    key: [String],
    columns: [String]
  ) throws {
    let names = (columns + key).joined(separator: ", ")
    let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
    for row in try Row.fetchAll(database, sql: "SELECT \(names) FROM \(table)") {
      var checksum = Checksum()
      for index in columns.indices {
        let value: DatabaseValue = row[index]
        switch value.storage {
        case .int64(let number): checksum.add(number)
        case .blob(let data): checksum.add(Array(data))
        case .string(let text): checksum.add(text)
        case .double, .null: break
        }
      }
      let keys = key.indices.map { index -> DatabaseValue in row[columns.count + index] }
      try database.execute(
        sql: "UPDATE \(table) SET checksum = ? WHERE \(condition)",
        arguments: StatementArguments([checksum.value.databaseValue] + keys)
      )
    }
  }
}
