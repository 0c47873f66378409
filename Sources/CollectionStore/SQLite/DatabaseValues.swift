// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

extension Row {
  /// The integer in a column. Unlike GRDB's subscripts this never traps, whatever is stored there.
  func integer(_ index: Int) throws -> Int64 {
    let value: DatabaseValue = self[index]
    guard case .int64(let number) = value.storage else { throw UnexpectedValue(index: index) }
    return number
  }

  /// A number that was stored bit by bit.
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

  func time(_ index: Int) throws -> CollectionTime {
    CollectionTime(
      seconds: try integer(index),
      nanoseconds: Int32(truncatingIfNeeded: try integer(index + 1))
    )
  }
}

/// A column holds something of another type than was ever written there.
struct UnexpectedValue: Error, CustomStringConvertible {
  var index: Int
  var description: String { "column \(index) holds a value of another type" }
}

extension Database {
  /// Runs a statement that is compiled once.
  @discardableResult
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: arguments)
    return changesCount
  }

  func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }

  func has(_ id: String) throws -> Bool {
    try row("SELECT 1 FROM collection WHERE id = ?", [id]) != nil
  }

  /// The size of all pages that are in use or free, in bytes.
  func pagesByteCount() throws -> Int64? {
    try Int64.fetchOne(
      self,
      sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    )
  }

  /// Rows one by one. The caller must not keep them.
  func rows(_ sql: String, _ arguments: StatementArguments) throws -> RowCursor {
    try Row.fetchCursor(makeStatement(sql: sql), arguments: arguments)
  }
}

extension UInt64 {
  /// SQLite knows signed integers only.
  var stored: Int64 { Int64(bitPattern: self) }
}

extension [UInt8] {
  var stored: Data { Data(self) }
}
