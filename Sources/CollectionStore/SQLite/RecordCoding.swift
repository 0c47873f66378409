// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension CollectionRecord {
  /// The columns of `collection` from `incarnation` on.
  var columns: [Int64] {
    [
      incarnation.stored, dataVersion.stored, revision.stored, Int64(sectionCount),
      Int64(itemCount), createTime.seconds, Int64(createTime.nanoseconds), updateTime.seconds,
      Int64(updateTime.nanoseconds),
    ]
  }

  var columnsChecksum: Int64 {
    var checksum = Checksum()
    checksum.add(id)
    for column in columns { checksum.add(column) }
    return checksum.value
  }

  /// The strings of `description`, each with its count before it.
  var fields: [UInt8] {
    var writer = FieldWriter()
    writer.write(Array(displayName.utf8))
    writer.write(UInt32(clamping: labels.count))
    for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
      writer.write(Array(key.utf8))
      writer.write(Array(value.utf8))
    }
    writer.write(defaultLayout == nil ? 0 : 1)
    if let defaultLayout { writer.write(defaultLayout) }
    return writer.bytes
  }

  static func fieldsChecksum(_ fields: [UInt8], id: String) -> Int64 {
    var checksum = Checksum()
    checksum.add(id)
    checksum.add(fields)
    return checksum.value
  }

  /// Versions and counts that no server reaches; beyond them arithmetic would overflow.
  static let valueLimit: Int64 = 1 << 62

  /// - Parameter row: columns as in `selection`.
  init(_ row: Row, id: String) throws {
    self.init(
      id: id,
      dataVersion: try row.unsigned(3),
      incarnation: try row.unsigned(2),
      revision: try row.unsigned(4),
      sectionCount: Int(try row.integer(5)),
      itemCount: Int(try row.integer(6)),
      createTime: try row.time(7),
      updateTime: try row.time(9)
    )
    let fields = try row.bytes(12)
    guard try row.integer(11) == columnsChecksum,
      try row.integer(13) == Self.fieldsChecksum(fields, id: id)
    else { throw StorageFault(.damaged, "its description is not what was written") }
    for column in [3, 5, 6] {
      guard 0 ..< Self.valueLimit ~= (try row.integer(column)) else {
        throw StorageFault(.damaged, "its description holds a number that is out of range")
      }
    }
    var reader = FieldReader(bytes: fields)
    displayName = try reader.text()
    for _ in 0 ..< (try reader.number()) {
      let key = try reader.text()
      labels[key] = try reader.text()
    }
    if try reader.number() == 1 { defaultLayout = try reader.run() }
  }

  /// One by its identifier, with a condition after it.
  static let selection = "\(columnsOfSelection) FROM collection \(join)"

  /// All, in any order, from the table itself: an index may be damaged apart from it.
  static let scan = "\(columnsOfSelection) FROM collection NOT INDEXED \(join)"

  private static let columnsOfSelection = """
    SELECT number, id, incarnation, data_version, revision, section_count, item_count,
      create_seconds, create_nanoseconds, update_seconds, update_nanoseconds,
      collection.checksum, description.fields, description.checksum
    """

  private static let join = "LEFT JOIN description ON description.collection = number"
}

/// Writes numbers, and runs of bytes with their counts before them.
struct FieldWriter {
  var bytes: [UInt8] = []

  mutating func write(_ number: UInt32) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func write(_ run: [UInt8]) {
    write(UInt32(clamping: run.count))
    bytes.append(contentsOf: run)
  }

  static func bytes(of texts: [String]) -> [UInt8] {
    var writer = FieldWriter()
    writer.write(UInt32(clamping: texts.count))
    for text in texts { writer.write(Array(text.utf8)) }
    return writer.bytes
  }
}

/// Reads what `FieldWriter` wrote. Bytes that are something else end too early at some point.
struct FieldReader {
  var bytes: [UInt8]
  var position = 0

  mutating func number() throws -> UInt32 {
    guard bytes.count - position >= 4 else { throw UnexpectedEnd() }
    defer { position += 4 }
    return (0 ..< 4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
  }

  mutating func run() throws -> [UInt8] {
    let count = Int(try number())
    guard bytes.count - position >= count else { throw UnexpectedEnd() }
    defer { position += count }
    return Array(bytes[position ..< position + count])
  }

  mutating func text() throws -> String { String(decoding: try run(), as: UTF8.self) }

  static func texts(_ bytes: [UInt8]) throws -> [String] {
    var reader = FieldReader(bytes: bytes)
    var texts: [String] = []
    for _ in 0 ..< (try reader.number()) { texts.append(try reader.text()) }
    return texts
  }

  struct UnexpectedEnd: Error, CustomStringConvertible {
    var description: String { "a row of strings ends too early" }
  }
}
