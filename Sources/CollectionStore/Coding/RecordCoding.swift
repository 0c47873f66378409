// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension CollectionRecord {
  /// The values of the columns of `collection` from `incarnation` to `update_nanoseconds`, in
  /// order.
  package var columns: [Int64] {
    [
      incarnation.stored, dataVersion.stored, revision.stored, Int64(sectionCount),
      Int64(itemCount), createTime.seconds, Int64(createTime.nanoseconds), updateTime.seconds,
      Int64(updateTime.nanoseconds),
    ]
  }

  package var columnsChecksum: Int64 {
    var checksum = Checksum()
    checksum.add(id)
    for column in columns { checksum.add(column) }
    return checksum.value
  }

  /// The record's strings in the form of `description.fields`, encoded by `FieldWriter`: display
  /// name, number of labels, keys and values of the labels sorted by key, and 0, or 1 and the
  /// default layout. The rest is written only as far as there is something: the number of named
  /// layouts, and for each its identifier, display name, layout, 1 if its last change is animated,
  /// revision, and both times; then the owner; then 1 if measured sizes are shared.
  package var fields: [UInt8] {
    var writer = FieldWriter()
    writer.write(Array(displayName.utf8))
    writer.write(UInt32(clamping: labels.count))
    for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
      writer.write(Array(key.utf8))
      writer.write(Array(value.utf8))
    }
    writer.write(defaultLayout == nil ? 0 : 1)
    if let defaultLayout { writer.write(defaultLayout) }
    let hasOwner = !owner.isEmpty || sharesMeasurements
    guard !layouts.isEmpty || hasOwner else { return writer.bytes }
    writer.write(UInt32(clamping: layouts.count))
    for layout in layouts { writer.write(layout) }
    if hasOwner { writer.write(Array(owner.utf8)) }
    if sharesMeasurements { writer.write(1) }
    return writer.bytes
  }

  package static func fieldsChecksum(_ fields: [UInt8], id: String) -> Int64 {
    var checksum = Checksum()
    checksum.add(id)
    checksum.add(fields)
    return checksum.value
  }

  /// Versions, revisions and counts below this can be incremented without overflow. No server
  /// reaches it: at a million commits a second that would take 146,000 years.
  package static let valueLimit: Int64 = 1 << 62

  /// Decodes a record.
  ///
  /// - Parameters:
  ///   - columns: as `columns`.
  ///   - checksum: the expected `columnsChecksum`.
  ///   - description: the bytes of `fields` with their checksum; nil = the record is without a
  ///     description.
  /// - Throws: `StorageFault.damaged`, `FieldReader.UnexpectedEnd`.
  package init(
    id: String,
    columns: [Int64],
    checksum: Int64,
    description: (fields: [UInt8], checksum: Int64)?
  ) throws {
    guard columns.count == 9 else {
      throw StorageFault(.damaged, "its description differs from what was written")
    }
    self.init(
      id: id,
      dataVersion: UInt64(bitPattern: columns[1]),
      incarnation: UInt64(bitPattern: columns[0]),
      revision: UInt64(bitPattern: columns[2]),
      sectionCount: Int(columns[3]),
      itemCount: Int(columns[4]),
      // Bits above the lower 32 of the nanoseconds are ignored: the server always writes 0 there,
      // and the checksum covers the rest.
      createTime: CollectionTime(
        seconds: columns[5],
        nanoseconds: Int32(truncatingIfNeeded: columns[6])
      ),
      updateTime: CollectionTime(
        seconds: columns[7],
        nanoseconds: Int32(truncatingIfNeeded: columns[8])
      )
    )
    // The conversions above cannot trap: `Int` has 64 bits, and every bit pattern is a number. The
    // checks below come before any use. Any number is valid as an incarnation: it is only compared.
    let isIntact = description.map { Self.fieldsChecksum($0.fields, id: id) == $0.checksum } ?? true
    guard checksum == columnsChecksum, isIntact else {
      throw StorageFault(.damaged, "its description differs from what was written")
    }
    for value in columns[1 ... 4] {
      guard 0 ..< Self.valueLimit ~= value else {
        throw StorageFault(
          .damaged,
          "its description holds \(value) as a version, revision or count; 0 to \(Self.valueLimit - 1) are possible"
        )
      }
    }
    if let description { try read(description.fields) }
  }

  private mutating func read(_ fields: [UInt8]) throws {
    var reader = FieldReader(bytes: fields)
    displayName = try reader.text()
    for _ in 0 ..< (try reader.number()) {
      let key = try reader.text()
      labels[key] = try reader.text()
    }
    if try reader.number() == 1 { defaultLayout = try reader.run() }
    if reader.isAtEnd { return }
    for _ in 0 ..< (try reader.number()) { layouts.append(try reader.layout()) }
    if !reader.isAtEnd { owner = try reader.text() }
    if !reader.isAtEnd { sharesMeasurements = try reader.number() == 1 }
  }
}

/// Encodes numbers as four bytes, little-endian, and runs of bytes with their count before them.
package struct FieldWriter {
  package var bytes: [UInt8] = []

  package mutating func write(_ number: UInt32) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func write(_ run: [UInt8]) {
    write(UInt32(clamping: run.count))
    bytes.append(contentsOf: run)
  }

  mutating func write(word: UInt64) {
    write(UInt32(truncatingIfNeeded: word))
    write(UInt32(truncatingIfNeeded: word >> 32))
  }

  mutating func write(_ time: CollectionTime) {
    write(word: UInt64(bitPattern: time.seconds))
    write(UInt32(bitPattern: time.nanoseconds))
  }

  mutating func write(_ layout: NamedLayout) {
    write(Array(layout.id.utf8))
    write(Array(layout.displayName.utf8))
    write(layout.layout)
    write(layout.isAnimated ? 1 : 0)
    write(word: layout.revision)
    write(layout.createTime)
    write(layout.updateTime)
  }

  /// Encodes the number of texts, then each text.
  package static func bytes(of texts: [String]) -> [UInt8] {
    var writer = FieldWriter()
    writer.write(UInt32(clamping: texts.count))
    for text in texts { writer.write(Array(text.utf8)) }
    return writer.bytes
  }
}

/// Decodes what `FieldWriter` encoded. Never reads beyond the bytes, whatever they hold; malformed
/// ones are detected only if they end too early, so the caller checks a checksum first.
package struct FieldReader {
  var bytes: [UInt8]
  var position = 0

  mutating func number() throws -> UInt32 {
    guard bytes.count - position >= 4 else { throw UnexpectedEnd() }
    defer { position += 4 }
    return (0 ..< 4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
  }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func word() throws -> UInt64 {
    let low = try number()
    return UInt64(low) | UInt64(try number()) << 32
  }

  mutating func time() throws -> CollectionTime {
    let seconds = Int64(bitPattern: try word())
    return CollectionTime(seconds: seconds, nanoseconds: Int32(bitPattern: try number()))
  }

  mutating func layout() throws -> NamedLayout {
    NamedLayout(
      id: try text(),
      displayName: try text(),
      layout: try run(),
      isAnimated: try number() == 1,
      revision: try word(),
      createTime: try time(),
      updateTime: try time()
    )
  }

  mutating func run() throws -> [UInt8] {
    let count = Int(try number())
    guard bytes.count - position >= count else { throw UnexpectedEnd() }
    defer { position += count }
    return Array(bytes[position ..< position + count])
  }

  mutating func text() throws -> String { String(decoding: try run(), as: UTF8.self) }

  /// Decodes what `FieldWriter.bytes(of:)` encoded.
  ///
  /// - Throws: `UnexpectedEnd`
  package static func texts(_ bytes: [UInt8]) throws -> [String] {
    var reader = FieldReader(bytes: bytes)
    var texts: [String] = []
    for _ in 0 ..< (try reader.number()) { texts.append(try reader.text()) }
    return texts
  }

  struct UnexpectedEnd: Error, CustomStringConvertible {
    var description: String { "a list of strings ends before its last string" }
  }
}
