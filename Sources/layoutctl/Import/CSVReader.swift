// SPDX-License-Identifier: Apache-2.0

/// Reads comma-separated values by RFC 4180, record by record, in bounded memory.
///
/// Fields may be quoted, and then hold separators, line breaks and doubled quotes. Lines end with
/// CR LF, LF or CR; empty lines and a byte order mark are passed over. Swift packages for CSV
/// (SwiftCSV 0.10, for one) take the whole text at once and do not say where a fault is, hence this.
struct CSVReader {
  /// One record, and where its fields begin.
  struct Record: Equatable {
    var fields: [String] = []
    /// Of the record's first byte, from 1 on.
    var line = 0
    /// Line and column of each field's first byte, from 1 on.
    var places: [Place] = []
  }

  struct Place: Hashable {
    var line: Int
    /// In bytes.
    var column: Int
  }

  struct Fault: Error, Hashable {
    var place: Place
    var message: String
  }

  static let maxRecordBytes = 1 << 20

  private let source: any ByteSource
  private var bytes: [UInt8] = []
  private var index = 0
  private var place = Place(line: 1, column: 1)
  private var isAtStart = true
  private var isAfterReturn = false

  init(_ source: any ByteSource) { self.source = source }

  /// The next record; nil = the end.
  ///
  /// - Throws: `Fault` where the text is no CSV, after which reading goes on with the next line;
  ///   what the source throws.
  mutating func next() throws -> Record? {
    if isAtStart { try skipByteOrderMark() }
    while let byte = try peek(), byte == .lineFeed || byte == .carriageReturn { advance(byte) }
    guard try peek() != nil else { return nil }
    var record = Record(line: place.line)
    var size = 0
    while true {
      let start = place
      let field: [UInt8]
      do { field = try readField() } catch let fault as Fault {
        try skipLine()
        throw fault
      }
      size += field.count + 1
      guard size <= Self.maxRecordBytes else {
        try skipLine()
        throw Fault(place: start, message: "a record of more than \(Self.maxRecordBytes) bytes")
      }
      record.fields.append(String(decoding: field, as: UTF8.self))
      record.places.append(start)
      guard let byte = try peek() else { return record }
      advance(byte)
      if byte == .comma { continue }
      if byte == .carriageReturn, try peek() == .lineFeed { advance(.lineFeed) }
      return record
    }
  }

  // MARK: - Fields

  /// Reads up to the separator or line break behind the field, or the end.
  private mutating func readField() throws -> [UInt8] {
    guard try peek() == .quote else { return try readPlainField() }
    let start = place
    advance(.quote)
    var field: [UInt8] = []
    while let byte = try peek() {
      guard field.count <= Self.maxRecordBytes else {
        throw Fault(place: start, message: "a quoted field that does not end")
      }
      advance(byte)
      guard byte == .quote else {
        field.append(byte)
        continue
      }
      switch try peek() {
      case .quote:
        advance(.quote)
        field.append(.quote)
      case nil, .comma, .lineFeed, .carriageReturn: return field
      default: throw Fault(place: place, message: "text after the quote that ends a field")
      }
    }
    throw Fault(place: start, message: "a quoted field that does not end")
  }

  private mutating func readPlainField() throws -> [UInt8] {
    var field: [UInt8] = []
    while let byte = try peek(), byte != .comma, byte != .lineFeed, byte != .carriageReturn {
      guard byte != .quote else {
        throw Fault(place: place, message: "a quote inside a field that is not quoted")
      }
      guard field.count <= Self.maxRecordBytes else { break }
      field.append(byte)
      advance(byte)
    }
    return field
  }

  // MARK: - Bytes

  private mutating func peek() throws -> UInt8? {
    while index == bytes.count {
      guard let next = try source.next() else { return nil }
      bytes = next
      index = 0
    }
    return bytes[index]
  }

  private mutating func advance(_ byte: UInt8) {
    index += 1
    // CR LF counts once, by its CR.
    if byte == .carriageReturn || (byte == .lineFeed && !isAfterReturn) {
      place = Place(line: place.line + 1, column: 1)
    } else if byte != .lineFeed {
      place.column += 1
    }
    isAfterReturn = byte == .carriageReturn
  }

  private mutating func skipLine() throws {
    while let byte = try peek() {
      advance(byte)
      if byte == .lineFeed { return }
      if byte == .carriageReturn, try peek() != .lineFeed { return }
    }
  }

  private mutating func skipByteOrderMark() throws {
    isAtStart = false
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    while bytes.count < mark.count, let next = try source.next() { bytes += next }
    if bytes.starts(with: mark) { index = mark.count }
  }
}

extension UInt8 {
  fileprivate static let comma = UInt8(ascii: ",")
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let lineFeed = UInt8(ascii: "\n")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
