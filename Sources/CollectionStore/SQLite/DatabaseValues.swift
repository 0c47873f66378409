// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

extension Row {
  /// The integer in a column. Never traps, unlike GRDB's typed subscripts, whatever is stored
  /// there.
  ///
  /// - Throws: `UnexpectedValue`
  func integer(_ index: Int) throws -> Int64 {
    let value: DatabaseValue = self[index]
    guard case .int64(let number) = value.storage else { throw UnexpectedValue(index: index) }
    return number
  }

  /// The unsigned number whose bits a column holds as a signed integer.
  func unsigned(_ index: Int) throws -> UInt64 { UInt64(bitPattern: try integer(index)) }

  func bytes(_ index: Int) throws -> [UInt8] {
    let value: DatabaseValue = self[index]
    guard case .blob(let data) = value.storage else { throw UnexpectedValue(index: index) }
    return Array(data)
  }

  func text(_ index: Int) throws -> String {
    let value: DatabaseValue = self[index]
    guard case .string(let text) = value.storage else { throw UnexpectedValue(index: index) }
    return text
  }

  /// The time in a column of seconds and the next one of nanoseconds. Bits above the lower 32 of
  /// the nanoseconds are ignored: the server always writes 0 there, and the row's checksum covers
  /// the rest.
  func time(_ index: Int) throws -> CollectionTime {
    CollectionTime(
      seconds: try integer(index),
      nanoseconds: Int32(truncatingIfNeeded: try integer(index + 1))
    )
  }
}

/// A column holds a value of a type that the server never writes there, so the row is damaged.
struct UnexpectedValue: Error, CustomStringConvertible {
  var index: Int
  var description: String { "column \(index) holds a value of another type" }
}

extension Database {
  /// Runs a statement, which is compiled once and cached.
  ///
  /// - Returns: how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: arguments)
    return changesCount
  }

  /// The first row of a query; nil = there is none.
  func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }

  /// Whether there is a row for this collection.
  func has(_ id: String) throws -> Bool {
    try row("SELECT 1 FROM collection WHERE id = ?", [id]) != nil
  }

  /// The size of the database in bytes: all of its pages, in use or free.
  func pagesByteCount() throws -> Int64? {
    try Int64.fetchOne(
      self,
      sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    )
  }

  /// The bytes of the free pages, which are written to first.
  func freePagesByteCount() throws -> Int64 {
    try row(
      "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
      []
    )?.integer(0) ?? 0
  }

  /// A cursor over the rows of a query. It reuses one row object, so the caller must not keep rows.
  func rows(_ sql: String, _ arguments: StatementArguments) throws -> RowCursor {
    try Row.fetchCursor(makeStatement(sql: sql), arguments: arguments)
  }
}

extension UInt64 {
  /// The same bits as a signed integer, since databases have no unsigned ones.
  package var stored: Int64 { Int64(bitPattern: self) }
}

extension [UInt8] {
  var stored: Data { Data(self) }
}
