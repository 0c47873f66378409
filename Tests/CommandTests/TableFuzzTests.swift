// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import layoutctl

/// Bytes of any kind as tables: reading ends, and every fault says where it is.
@Suite("Tables of any bytes", .timeLimit(.minutes(2)))
struct TableFuzzTests {
  private static let mapping = ColumnMapping(
    width: "w",
    height: "h",
    x: "x",
    y: "x",
    key: "id",
    section: "s",
    kind: "id",
    scaledHeight: 50
  )

  private static let texts = [
    "id,s,w,h,x\na,b,1,2,3\n\"q\"\"\",\"two\r\nlines\",,1e308,-0\r\n",
    "\u{FEFF}id,s,w,h,x\rä,€,1e999,nan,inf\r\r𝄞,,,,\n",
    #"{"id":"a","s":"b","w":1,"h":2.5,"x":-3}"# + "\n" + #"{"id":7,"w":null,"h":"1","x":1e300}"#,
    #"{"id":{"a":[1,[2,[3]]]},"s":true,"x":9007199254740993}"# + "\n\n[]\n{\n",
  ]

  private static let pieces: [[UInt8]] = [
    [0x22], [0x2C], [0x0A], [0x0D], [0x0D, 0x0A], [0xEF, 0xBB, 0xBF], [0xFF], [0xC3], [0x00],
    Array("1e99999".utf8), Array("0x1p9".utf8), Array("{}".utf8), Array("[".utf8),
    Array(repeating: 0x5B, count: 2000), Array("\\ud800".utf8), Array("id,".utf8),
  ]

  /// Some text with a few pieces put in, taken out or doubled.
  private static func bytes(using random: inout SplitMix64) -> [UInt8] {
    var bytes = Array((texts.randomElement(using: &random) ?? "").utf8)
    for _ in 0 ..< Int.random(in: 0 ... 6, using: &random) {
      let place = Int.random(in: 0 ... bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 0 ... 4, using: &random))
      switch Int.random(in: 0 ..< 4, using: &random) {
      case 0: bytes.removeSubrange(place ..< end)
      case 1: bytes.insert(contentsOf: bytes[place ..< end], at: place)
      case 2: bytes.insert(UInt8.random(in: 0 ... 255, using: &random), at: place)
      default:
        bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
      }
    }
    return bytes
  }

  /// Reads all rows as an import does.
  private static func read(_ bytes: [UInt8], isJSON: Bool, partSize: Int) {
    let source = AnyBytes(bytes, partSize: partSize)
    let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
    func check(_ place: CSVReader.Place) {
      #expect(place.line >= 1 && place.line <= lines, "\(bytes)")
      #expect(place.column >= 1 && place.column <= bytes.count + 1, "\(bytes)")
    }
    var reader: any TableReader
    do {
      reader =
        isJSON
        ? JSONLinesReader(source, columns: mapping.columns)
        : try CSVTableReader(source, columns: mapping.columns)
    } catch {
      #expect(error is CommandFault)
      return
    }
    // Each call takes at least a byte.
    for _ in 0 ... bytes.count + 1 {
      do {
        guard let row = try reader.next() else { return }
        row.places.forEach(check)
        _ = try mapping.item(of: row)
      } catch let fault as RowFault {
        check(fault.place)
      } catch {
        #expect(error is CommandFault, "\(error)")
        return
      }
    }
    Issue.record("reading does not end: \(bytes)")
  }

  @Test("never trap, and name line and column", arguments: 1 ... 8 as ClosedRange<UInt64>)
  func anyBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0 ..< 1500 {
      let bytes = Self.bytes(using: &random)
      let partSize = Int.random(in: 1 ... 40, using: &random)
      Self.read(bytes, isJSON: false, partSize: partSize)
      Self.read(bytes, isJSON: true, partSize: partSize)
    }
  }
}

/// Bytes that come in parts.
private final class AnyBytes: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let partSize: Int

  init(_ bytes: [UInt8], partSize: Int) {
    rest = bytes[...]
    self.partSize = partSize
  }

  func next() -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(partSize) }
    return Array(rest.prefix(partSize))
  }
}
