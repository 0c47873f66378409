// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import layoutctl

@Suite("CSVReader", .timeLimit(.minutes(2)))
struct CSVReaderTests {
  @Test(
    "reads records as RFC 4180 writes them",
    arguments: [
      ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
      ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
      ("a\rb\r", [["a"], ["b"]]),
      (
        "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"\"\n",
        [["a,b", #"say "hi""#, "two\nlines", ""]]
      ),
      (",\n", [["", ""]]),
      ("\u{FEFF}ä,€\n\n\n𝄞", [["ä", "€"], ["𝄞"]]),
      ("", []),
      ("\r\n\n", []),
      (#""""""#, [["\""]]),
    ]
  )
  func reads(text: String, records: [[String]]) throws {
    for size in [1, 2, 3, 5, 1000] {
      #expect(try Self.records(of: text, partSize: size) == records, "in parts of \(size) bytes")
    }
  }

  @Test("gives back any fields that were written, however the bytes come")
  func roundTrip() throws {
    var generator = SplitMix64(seed: 4180)
    let alphabet = ["a", "b", ",", "\"", "\n", "\r\n", "é", " "]
    for _ in 0 ..< 300 {
      let records = (0 ..< Int.random(in: 1 ... 4, using: &generator)).map { _ in
        (0 ..< Int.random(in: 1 ... 4, using: &generator)).map { _ in
          (0 ..< Int.random(in: 0 ... 5, using: &generator)).map { _ in
            alphabet[Int.random(in: 0 ..< alphabet.count, using: &generator)]
          }.joined()
        }
      }
      let text = records.map { fields in
        fields.map { field in
          "\"" + field.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
        }.joined(separator: ",")
      }.joined(separator: "\n")
      #expect(try Self.records(of: text, partSize: 7) == records, "\(text)")
    }
  }

  @Test("says where each field begins, lines inside quotes counted")
  func places() throws {
    var reader = CSVReader(Bytes("ab,\"x\r\ny\",c\nlast", partSize: 3))
    let firstRow = try reader.next()
    let first = try #require(firstRow)
    #expect(first.line == 1)
    #expect(first.places.map(\.line) == [1, 1, 2])
    #expect(first.places.map(\.column) == [1, 4, 4])
    let second = try reader.next()
    #expect(second?.line == 3)
  }

  @Test(
    "names the place of what is no CSV, and goes on with the next line",
    arguments: [
      ("a\"b,c\nnext", 1, 2), ("x,\"a\"b\nnext", 1, 6), ("ok,1\n\"never", 2, 1),
    ]
  )
  func faults(text: String, line: Int, column: Int) throws {
    var reader = CSVReader(Bytes(text, partSize: 4))
    var faults: [CSVReader.Fault] = []
    var last: [String] = []
    var isAtEnd = false
    while !isAtEnd {
      do {
        if let record = try reader.next() { last = record.fields } else { isAtEnd = true }
      } catch let fault as CSVReader.Fault { faults.append(fault) }
    }
    #expect(faults.map(\.place) == [.init(line: line, column: column)])
    #expect(last == (text.hasSuffix("next") ? ["next"] : ["ok", "1"]))
  }

  @Test("refuses a record without an end before memory does")
  func endless() throws {
    var reader = CSVReader(EndlessQuote())
    #expect(throws: CSVReader.Fault.self) { _ = try reader.next() }
  }

  @Test("refuses a line without an end at once, and reads it on only for another record")
  func endlessLine() throws {
    let source = Zeros(lines: 2)
    var reader = CSVReader(source)
    #expect(throws: CSVReader.Fault.self) { _ = try reader.next() }
    #expect(source.parts < 6)
    #expect(throws: CSVReader.Fault.self) { _ = try reader.next() }
    let end = try reader.next()
    #expect(end == nil && source.parts > 16)
  }

  @Test("refuses a record that is not UTF-8 with the place, and goes on with the next")
  func encoding() throws {
    let latin = Array("a,b\nx,Caf".utf8) + [0xE9] + Array(",\"1\"\r\nc,d".utf8)
    var reader = CSVReader(Bytes(latin, partSize: 3))
    var fields: [[String]] = []
    if let record = try reader.next() { fields.append(record.fields) }
    let fault = CSVReader.Fault(place: .init(line: 2, column: 3), message: "not UTF-8")
    #expect(throws: fault) { _ = try reader.next() }
    if let record = try reader.next() { fields.append(record.fields) }
    #expect(fields == [["a", "b"], ["c", "d"]])
  }

  static func records(of text: String, partSize: Int) throws -> [[String]] {
    var reader = CSVReader(Bytes(text, partSize: partSize))
    var records: [[String]] = []
    while let record = try reader.next() { records.append(record.fields) }
    return records
  }
}

/// A text that comes in parts.
final class Bytes: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let partSize: Int

  init(_ text: String, partSize: Int = 16) {
    rest = Array(text.utf8)[...]
    self.partSize = partSize
  }

  init(_ bytes: [UInt8], partSize: Int = 16) {
    rest = bytes[...]
    self.partSize = partSize
  }

  func next() -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(partSize) }
    return Array(rest.prefix(partSize))
  }
}

/// Lines of two megabytes each.
final class Zeros: ByteSource {
  private let lines: Int
  private(set) var parts = 0
  private static let partsPerLine = 8

  init(lines: Int) { self.lines = lines }

  func next() -> [UInt8]? {
    guard parts < lines * Self.partsPerLine else {
      parts += 1
      return nil
    }
    parts += 1
    var part = [UInt8](repeating: 0, count: 256 << 10)
    if parts.isMultiple(of: Self.partsPerLine) { part.append(0x0A) }
    return part
  }
}

/// A quoted field of three megabytes.
private final class EndlessQuote: ByteSource {
  private var count = 0

  func next() -> [UInt8]? {
    count += 1
    guard count <= 3 else { return nil }
    return Array("\"".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)
  }
}
