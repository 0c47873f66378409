// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

/// A value that is passed to a statement separately from its text.
enum Parameter: Hashable, Sendable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case integers([Int64])

  /// The number of the type in PostgreSQL's catalogue, which never changes.
  var type: UInt32 {
    switch self {
    case .integer: 20
    case .bytes: 17
    case .text: 25
    case .integers: 1016
    }
  }

  /// Whether `encoded` is PostgreSQL's binary format rather than text.
  var isBinary: Bool { if case .integers = self { false } else { true } }

  /// The value as it is sent. Text must not contain zeros, which PostgreSQL refuses.
  var encoded: [UInt8] {
    switch self {
    case .integer(let number): (0 ..< 8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    case .bytes(let bytes): bytes
    case .text(let text): Array(text.utf8)
    case .integers(let numbers):
      Array("{\(numbers.map(String.init).joined(separator: ","))}".utf8) + [0]
    }
  }
}

/// A statement, which is prepared when a connection first sees its text.
struct Statement: Sendable {
  var sql: String
  var parameters: [Parameter]

  init(_ sql: String, _ parameters: [Parameter] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}

/// Statements that are sent together, and answered together. They are one transaction unless one of
/// them begins a transaction.
struct Exchange: Sendable {
  var statements: [Statement]
  /// Whether its outcome is unknown if the connection is lost.
  var isWrite: Bool

  init(_ statements: [Statement], isWrite: Bool = false) {
    self.statements = statements
    self.isWrite = isWrite
  }

  init(_ statement: Statement, isWrite: Bool = false) {
    self.init([statement], isWrite: isWrite)
  }
}

/// What the database returned for one statement.
struct Answer: Sendable {
  var rows: [ResultRow] = []
  /// How many rows it changed or returned.
  var count = 0
}

/// A row of an answer, in PostgreSQL's binary format. The bytes are from outside: they are checked
/// whenever they are read.
struct ResultRow: Sendable {
  /// nil = NULL.
  var fields: [[UInt8]?]

  /// The 64-bit integer in a column.
  ///
  /// - Throws: `StorageFault.damaged`
  func integer(_ index: Int) throws(StorageFault) -> Int64 {
    let bytes = try bytes(index)
    guard bytes.count == 8 else { throw Self.unexpected(index) }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The unsigned number whose bits a column has as a signed integer.
  func unsigned(_ index: Int) throws(StorageFault) -> UInt64 {
    UInt64(bitPattern: try integer(index))
  }

  func bytes(_ index: Int) throws(StorageFault) -> [UInt8] {
    guard fields.indices.contains(index), let bytes = fields[index] else {
      throw Self.unexpected(index)
    }
    return bytes
  }

  func text(_ index: Int) throws(StorageFault) -> String {
    String(decoding: try bytes(index), as: UTF8.self)
  }

  func isNull(_ index: Int) -> Bool { fields.indices.contains(index) && fields[index] == nil }

  /// The time in a column of seconds and the next one of nanoseconds.
  func time(_ index: Int) throws(StorageFault) -> CollectionTime {
    CollectionTime(
      seconds: try integer(index),
      nanoseconds: Int32(truncatingIfNeeded: try integer(index + 1))
    )
  }

  private static func unexpected(_ index: Int) -> StorageFault {
    StorageFault(.damaged, "column \(index) holds a value of another type")
  }
}

/// A statement that the database refused. Later ones of the exchange were not executed.
struct StatementError: Error, Hashable, Sendable {
  /// The five characters of the SQL standard's error code.
  var state: String
  var message: String
  /// The column or the constraint that was violated; "" = none.
  var place: String
  /// The number of the statement in its exchange, from 0.
  var index = 0

  /// NULL where a value is needed: statements use it to say that a row was not as expected.
  static let notNull = "23502"
  static let unique = "23505"
  static let unknownStatement = "26000"
}
