// SPDX-License-Identifier: Apache-2.0

/// Reads comma-separated values as defined by RFC 4180, record by record, in bounded memory.
///
/// Quoted fields may contain separators, line breaks and doubled quotes. Lines end with CR LF, LF
/// or CR; empty lines and a byte order mark are skipped. Existing Swift packages for CSV, such as
/// SwiftCSV 0.10, need the whole text in memory and do not report the position of errors, so this
/// tool has its own reader.
struct CSVReader {
  /// One record, and the positions of its fields.
  struct Record: Equatable {
    var fields: [String] = []
    /// The line of the record's first byte, counted from 1.
    var line = 0
    /// Line and column of each field's first byte, counted from 1.
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
  /// Whether the rest of the line belongs to a record that was refused. It is skipped only when
  /// another record is read: a line need not end.
  private var skipsLine = false

  init(_ source: any ByteSource) { self.source = source }

  /// Reads the next record; nil at the end of the text.
  ///
  /// - Throws: `Fault` if the text is not valid CSV, or not UTF-8; reading can continue with the
  ///   next line after that. Also what the source throws.
  mutating func next() throws -> Record? {
    if isAtStart { try skipByteOrderMark() }
    if skipsLine {
      skipsLine = false
      try skipLine()
    }
    while let byte = try peek(), byte == .lineFeed || byte == .carriageReturn { advance(byte) }
    guard try peek() != nil else { return nil }
    var record = Record(line: place.line)
    var size = 0
    // Fields behind one that is not text are read too, so that the next record is found.
    var encodingFault: Fault?
    while true {
      let start = place
      let field: [UInt8]
      do { field = try readField() } catch let fault as Fault {
        skipsLine = true
        throw fault
      }
      size += field.count + 1
      guard size <= Self.maxRecordBytes else {
        skipsLine = true
        throw Fault(place: start, message: "a record of more than \(Self.maxRecordBytes) bytes")
      }
      if let text = String(validating: field, as: UTF8.self) {
        record.fields.append(text)
      } else {
        encodingFault = encodingFault ?? Fault(place: start, message: "not UTF-8")
      }
      record.places.append(start)
      if let byte = try peek() {
        advance(byte)
        if byte == .comma { continue }
        if byte == .carriageReturn, try peek() == .lineFeed { advance(.lineFeed) }
      }
      if let encodingFault { throw encodingFault }
      return record
    }
  }

  // MARK: - Fields

  /// Reads a field up to the separator, the line break or the end of the text.
  private mutating func readField() throws -> [UInt8] {
    guard try peek() == .quote else { return try readPlainField() }
    let start = place
    advance(.quote)
    var field: [UInt8] = []
    while let byte = try peek() {
      guard field.count <= Self.maxRecordBytes else {
        throw Fault(
          place: start,
          message:
            "a quoted field of more than \(Self.maxRecordBytes) bytes, or one that does not end"
        )
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
    // CR LF is one line break, which its CR has counted.
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
