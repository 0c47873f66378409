// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import Testing

@testable import layoutctl

@Suite("Import", .timeLimit(.minutes(2)))
struct ImportTests {
  private static let mapping = ColumnMapping(
    width: "w",
    height: "h",
    key: "id",
    section: "artist",
    scaledHeight: 120
  )

  private static func items(_ text: String, _ mapping: ColumnMapping) throws -> [ImportedItem] {
    var reader = try CSVTableReader(Bytes(text), columns: mapping.columns)
    var items: [ImportedItem] = []
    while let row = try reader.next() { items.append(try mapping.item(of: row)) }
    return items
  }

  @Test("kinds and sections are the same only if their bytes are")
  func exact() {
    var table = ImportedTable()
    for text in ["caf\u{E9}", "cafe\u{301}"] {
      table.append(ImportedItem(section: text, kind: text))
    }
    #expect(table.kindNames.map { Array($0.utf8).count } == [5, 6])
    #expect(table.sectionCount == 2)
  }

  @Test("scales sizes to the wanted height, in multiples of 1/64")
  func scales() throws {
    let items = try Self.items("id,artist,w,h\na,Ω,785,1330\nb,,600,1200\n", Self.mapping)
    #expect(items[0].width == 70.828125)
    #expect(items[0].height == 120)
    #expect(items[0].section == "Ω")
    #expect(items[1] == ImportedItem(width: 60, height: 120, key: "b", section: "(none)"))
  }

  @Test("one column of data gives its text, several give a JSON object")
  func data() throws {
    let table = "title,place\n\"He said \"\"no\"\"\",\n,\nb,Łódź\n"
    let one = try Self.items(table, ColumnMapping(data: ["title"]))
    #expect(one.map(\.data) == [#"He said "no""#, nil, "b"])
    let both = try Self.items(table, ColumnMapping(data: ["title", "place"]))
    let objects = [#"{"title":"He said \"no\""}"#, nil, #"{"title":"b","place":"Łódź"}"#]
    #expect(both.map(\.data) == objects)
    let long = String(repeating: "x", count: 4097)
    let fault = #expect(throws: RowFault.self) {
      _ = try Self.items("t\n\(long)\n", ColumnMapping(data: ["t"]))
    }
    #expect(fault?.message == "t: 4097 bytes found; at most 4096 are allowed")
  }

  @Test("numbers and data beyond what servers accept are faults of their rows")
  func limits() throws {
    let fault = #expect(throws: RowFault.self) {
      _ = try Self.items("w,h\n1e300,1\n", ColumnMapping(width: "w", height: "h"))
    }
    #expect(fault?.message == "w: 1e+300 found; at most 2^40 in magnitude are allowed")
    #expect(throws: RowFault.self) {
      _ = try Self.items("x,y\n-1e300,1\n", ColumnMapping(x: "x", y: "y"))
    }
    var mapping = ColumnMapping(data: ["t"])
    mapping.maxDataBytes = 3
    #expect(try Self.items("t\nabc\n", mapping).map(\.data) == ["abc"])
    #expect(throws: RowFault.self) { _ = try Self.items("t\nabcd\n", mapping) }
  }

  @Test("a member of a JSON line that is an object is data as it is, and nothing else")
  func structuredData() throws {
    let line = #"{"info":{"tags":["a",true]},"id":"x"}"#
    var reader = JSONLinesReader(Bytes(line), columns: ["id", "info"], structured: ["info"])
    #expect(try reader.next()?.values == ["x", #"{"tags":["a",true]}"#])
    var plain = JSONLinesReader(Bytes(line), columns: ["info"])
    #expect(throws: RowFault.self) { try plain.next() }
  }

  @Test("whole numbers of a JSON line keep all their digits, behind a byte order mark too")
  func wholeNumbers() throws {
    let line =
      "\u{FEFF}"
      + #"{"a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808,"d":1e300,"e":[1],"f":7}"#
    var reader = JSONLinesReader(Bytes(line), columns: ["a", "b", "c", "d", "f"])
    #expect(
      try reader.next()?.values == [
        "9007199254740993", "18446744073709551615", "-9223372036854775808", "1e+300", "7",
      ]
    )
  }

  @Test("an empty size leaves it to the layout")
  func emptySize() throws {
    let items = try Self.items("id,artist,w,h\na,x,,\n", Self.mapping)
    #expect(items == [ImportedItem(key: "a", section: "x")])
  }

  @Test(
    "a bad row is named by line and column, with what was found and what is needed",
    arguments: [
      ("a,x,wide,10", 3, #"w: "wide" found; a number is needed"#),
      ("a,x,-1,10", 3, "w: -1.0 found; 0 or more is needed"),
      ("a,x,5,0", 4, "h: 0 found; a height to scale is needed"),
      (",x,5,5", 1, "id: nothing found; a key is needed"),
      ("a,x,inf,5", 3, #"w: "inf" found; a number is needed"#),
      ("a,x,5", 3, "3 fields found; 4 are needed"),
    ]
  )
  func badRows(row: String, field: Int, message: String) throws {
    let fault = try #require(
      throws: RowFault.self
    ) { _ = try Self.items("id,artist,w,h\nfine,x,1,1\n\(row)\n", Self.mapping) }
    #expect(fault.message == message)
    #expect(fault.place.line == 3)
    let start = row.split(separator: ",", omittingEmptySubsequences: false).prefix(field - 1)
    #expect(fault.place.column == 1 + start.reduce(0) { $0 + $1.count + 1 })
  }

  @Test("names the columns that there are where one is missing")
  func missingColumn() {
    let error = #expect(throws: CommandFault.self) {
      try CSVTableReader(Bytes("a,b\n"), columns: ["c"])
    }
    #expect(error?.message == #"no column "c"; there are a, b"#)
    #expect(error?.status == .usage)
  }

  @Test("refuses a header that has a wanted column twice, and leaves others alone")
  func repeatedColumn() throws {
    let error = #expect(throws: CommandFault.self) {
      try CSVTableReader(Bytes("a,b,b,c,c\n"), columns: ["a", "b"])
    }
    #expect(error?.message == #"the column "b" is there twice"#)
    #expect(error?.status == .usage)
    _ = try CSVTableReader(Bytes("a,b,b\n"), columns: ["a", "a"])
  }

  @Test(
    "says what is wrong with a line of JSON, and goes on with the next",
    arguments: [
      ("[1]", "not a JSON object"), (#"{"a":1"#, "not a JSON object: "),
      (#"{"a":1,"a":2}"#, "a member comes twice"), (#"{"a":1e999}"#, "number"),
    ]
  )
  func faultyLines(line: String, message: String) throws {
    var reader = JSONLinesReader(Bytes("{}\n\(line)\n{}"), columns: ["a"])
    _ = try reader.next()
    let fault = #expect(throws: RowFault.self) { try reader.next() }
    #expect(fault?.place == .init(line: 2, column: 1))
    #expect(
      fault?.message.lowercased().contains(message.lowercased()) == true,
      "\(fault?.message ?? "")"
    )
    #expect(try reader.next() != nil)
  }

  @Test("refuses a line of JSON that is not UTF-8 with line and column")
  func encoding() throws {
    let latin = Array(#"{"a":"Caf"#.utf8) + [0xE9] + Array("\"}\n{}".utf8)
    var reader = JSONLinesReader(Bytes(latin), columns: ["a"])
    let fault = RowFault(place: .init(line: 1, column: 10), message: "not UTF-8")
    #expect(throws: fault) { try reader.next() }
    #expect(try reader.next() != nil)
  }

  @Test("refuses a line of JSON that is too long at once, and goes on with the next")
  func longLine() throws {
    let source = Zeros(lines: 2)
    var reader = JSONLinesReader(source, columns: ["a"])
    for line in 1 ... 2 {
      let fault = RowFault(place: .init(line: line, column: 1), message: "more than 1048576 bytes")
      #expect(throws: fault) { try reader.next() }
      #expect(source.parts < line * 8 - 2)
    }
    #expect(try reader.next() == nil)
  }

  @Test("reads JSON Lines as it reads CSV")
  func jsonLines() throws {
    let text = """
      {"id": "a", "w": 10, "h": 20.5}

      {"h": "5", "id": 7, "w": null}
      """
    var reader = JSONLinesReader(Bytes(text, partSize: 5), columns: ["id", "w", "h"])
    let firstRow = try reader.next()
    let first = try #require(firstRow)
    #expect(first.values == ["a", "10", "20.5"])
    let secondRow = try reader.next()
    let second = try #require(secondRow)
    #expect(second.values == ["7", nil, "5"])
    #expect(second.places[0].line == 3)
    let third = try reader.next()
    #expect(third == nil)
    var faulty = JSONLinesReader(Bytes("{}\n[1]\n{}"), columns: ["id"])
    _ = try faulty.next()
    #expect(throws: RowFault(place: .init(line: 2, column: 1), message: "not a JSON object")) {
      _ = try faulty.next()
    }
    let last = try faulty.next()
    #expect(last != nil)
  }

  @Test("groups rows by section in order of first appearance, columns as small as they go")
  func groups() {
    var table = ImportedTable()
    for (section, width) in [("a", 1.0), ("b", 5), ("a", 2), ("b", 5), ("c", 9)] {
      table.append(ImportedItem(width: width, height: 120, section: section))
    }
    let parts = table.parts
    #expect(parts.map(\.section.key) == ["a", "b", "c"])
    #expect(parts.map { $0.section.blocks[0].widths } == [[1, 2], [5], [9]])
    #expect(parts.map { $0.section.blocks[0].heights } == [[120], [120], [120]])
    #expect(parts.map { $0.section.blocks[0].count } == [2, 2, 1])
    #expect(table.sectionCount == 3)
    #expect(table.itemCount == 5)
  }

  @Test("begins a new block where items begin or cease to have a size")
  func blocks() {
    var builder = ItemBlockBuilder()
    for width in [1.0, nil, nil, 3] { builder.append(ImportedItem(width: width), kind: 0) }
    builder.finish()
    #expect(builder.blocks.map(\.count) == [1, 2, 1])
    #expect(builder.blocks.map(\.widths) == [[1], [], [3]])
  }

  @Test("a section that outgrows one block travels in several")
  func largeSections() {
    var table = ImportedTable()
    let count = ItemBlockBuilder.maxItems * 2 + 1
    for index in 0 ..< count { table.append(ImportedItem(width: Double(index), section: "all")) }
    let parts = table.parts
    #expect(parts.map(\.section.blocks.count) == [0])
    #expect(parts[0].blocks.count == 3)
    #expect(parts[0].blocks.reduce(0) { $0 + Int($1.count) } == count)
  }

  @Test("rows without a kind get an unnamed one beside the named")
  func kinds() {
    var table = ImportedTable()
    for kind in [nil, "photo", nil, "text", "photo"] { table.append(ImportedItem(kind: kind)) }
    #expect(table.kindNames == ["", "photo", "text"])
  }

  @Test("draws a bar of constant length")
  func bar() {
    #expect(Set([0, 7, 50, 99, 100].map { ProgressLine.bar(percent: $0).count }).count == 1)
  }
}
