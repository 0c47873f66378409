// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf

/// The values of the requested columns in one row.
struct TableRow: Equatable {
  /// The values in the order of the requested columns; nil = the row has no value.
  var values: [String?]
  var places: [CSVReader.Place]
}

/// An invalid row, with its position in the file.
struct RowFault: Error, Hashable {
  var place: CSVReader.Place
  var message: String
}

/// Reads rows of a file by the names of columns.
protocol TableReader {
  /// Reads the next row; nil at the end of the file.
  ///
  /// - Throws: `RowFault` for an invalid row; the next row can be read after that.
  mutating func next() throws -> TableRow?
}

/// Reads rows of comma-separated values. The first record names the columns.
struct CSVTableReader: TableReader {
  private var reader: CSVReader
  private let indices: [Int]
  private let columnCount: Int

  /// Reads the header.
  ///
  /// - Throws: `CommandFault` if there is no header, or a column is not in it, or twice.
  init(_ source: any ByteSource, columns: [String]) throws {
    reader = CSVReader(source)
    let header: CSVReader.Record?
    do { header = try reader.next() } catch let fault as CSVReader.Fault {
      throw CommandFault(
        "line \(fault.place.line), column \(fault.place.column): \(fault.message)"
      )
    }
    guard let header else {
      throw CommandFault("the file is empty; a line of column names is needed")
    }
    columnCount = header.fields.count
    indices = try columns.map { column in
      guard let index = header.fields.firstIndex(of: column) else {
        throw CommandFault(
          "no column \"\(column)\"; there are \(header.fields.joined(separator: ", "))",
          status: .usage
        )
      }
      guard header.fields.lastIndex(of: column) == index else {
        throw CommandFault("the column \"\(column)\" is there twice", status: .usage)
      }
      return index
    }
  }

  mutating func next() throws -> TableRow? {
    let record: CSVReader.Record?
    do { record = try reader.next() } catch let fault as CSVReader.Fault {
      throw RowFault(place: fault.place, message: fault.message)
    }
    guard let record else { return nil }
    guard record.fields.count == columnCount else {
      throw RowFault(
        place: record.places.last ?? .init(line: record.line, column: 1),
        message: "\(record.fields.count) fields found; \(columnCount) are needed"
      )
    }
    return TableRow(
      values: indices.map { record.fields[$0].isEmpty ? nil : record.fields[$0] },
      places: indices.map { record.places[$0] }
    )
  }
}

/// Reads JSON objects, one on each line. Their members are the columns.
struct JSONLinesReader: TableReader {
  private let source: any ByteSource
  private let columns: [String]
  /// The columns whose values may be objects and lists, which are given as JSON.
  private let structured: Set<String>
  private var bytes: [UInt8] = []
  private var index = 0
  private var line = 0
  /// Whether the rest of the line is too long to be read. It is skipped only when another row is
  /// read: a line need not end.
  private var skipsLine = false

  init(_ source: any ByteSource, columns: [String], structured: Set<String> = []) {
    self.source = source
    self.columns = columns
    self.structured = structured
  }

  mutating func next() throws -> TableRow? {
    while var text = try nextLine() {
      // A byte order mark, as some programs write it. It can come in parts, so the whole line is
      // needed.
      if line == 1, text.starts(with: Self.byteOrderMark) {
        text.removeFirst(Self.byteOrderMark.count)
      }
      guard text.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
      let place = CSVReader.Place(line: line, column: 1)
      let object: Google_Protobuf_Struct
      if let offset = text.invalidUTF8Offset {
        throw RowFault(place: .init(line: line, column: offset + 1), message: "not UTF-8")
      }
      do { object = try Google_Protobuf_Struct(jsonUTF8Bytes: text) } catch {
        throw RowFault(place: place, message: Self.fault(error, in: text))
      }
      return TableRow(
        values: try columns.map { try member(object.fields[$0], name: $0, of: text, at: place) },
        places: Array(repeating: place, count: columns.count)
      )
    }
    return nil
  }

  /// What is wrong with a line.
  private static func fault(_ error: any Error, in line: [UInt8]) -> String {
    if line.first(where: { $0 != 0x20 && $0 != 0x09 }) != UInt8(ascii: "{") {
      return "not a JSON object"
    }
    return "not a JSON object: \(JSONFault.text(of: error, in: line))"
  }

  private func member(
    _ value: Google_Protobuf_Value?,
    name: String,
    of line: [UInt8],
    at place: CSVReader.Place
  ) throws -> String? {
    switch value?.kind {
    case nil, .nullValue: return nil
    case .stringValue(let text): return text.isEmpty ? nil : text
    case .numberValue(let number):
      guard number == number.rounded() else { return "\(number)" }
      // Whole numbers are written without a fraction, so that they can serve as keys.
      if number.magnitude < Self.exactNumbers { return String(Int(number)) }
      return Self.wholeNumber(name, of: line) ?? "\(number)"
    case .boolValue(let isTrue): return String(isTrue)
    case .structValue, .listValue:
      if structured.contains(name) { return try value?.jsonString() }
      throw RowFault(place: place, message: "\(name): a string or a number is needed")
    }
  }

  /// Whole numbers below this are exact as `Double`, which is what a protobuf value holds.
  private static let exactNumbers = 0x1p53

  /// A member of an object as it was written, such as an identifier of 64 bits; nil = it is no such
  /// number.
  private static func wholeNumber(_ name: String, of line: [UInt8]) -> String? {
    let members = try? JSONDecoder().decode([String: WholeNumber].self, from: Data(line))
    return members?[name]?.text
  }

  /// A whole number of up to 64 bits; nil = any other value.
  private struct WholeNumber: Decodable {
    var text: String?

    init(from decoder: any Swift.Decoder) throws {
      guard let container = try? decoder.singleValueContainer() else { return }
      if let number = try? container.decode(Int64.self) {
        text = String(number)
      } else if let number = try? container.decode(UInt64.self) {
        text = String(number)
      }
    }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private mutating func nextLine() throws -> [UInt8]? {
    var text: [UInt8] = []
    while true {
      if index == bytes.count {
        guard let next = try source.next() else {
          guard !text.isEmpty, !skipsLine else { return nil }
          line += 1
          return text
        }
        bytes = next
        index = 0
      }
      let rest = bytes[index...]
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      if skipsLine {
        index = end
        guard end < bytes.count else { continue }
        index += 1
        skipsLine = false
        continue
      }
      text += rest[..<end]
      index = end
      guard text.count <= CSVReader.maxRecordBytes else {
        line += 1
        skipsLine = true
        throw RowFault(
          place: .init(line: line, column: 1),
          message: "more than \(CSVReader.maxRecordBytes) bytes"
        )
      }
      guard end < bytes.count else { continue }
      index += 1
      line += 1
      return text
    }
  }
}
