// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import layoutctl

/// Bytes of any kind as tables: reading ends, and every fault says where it is.
@Suite("Tables of any bytes", .timeLimit(.minutes(2)))
struct TableFuzzTests {
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

  private static let formats: [(name: String, format: TableFuzzTarget.Format)] = [
    ("csv", .csv), ("json", .json),
  ]

  @Test("never trap, and name line and column", arguments: 1 ... 8 as ClosedRange<UInt64>)
  func anyBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var rows = 0
    for _ in 0 ..< 1500 {
      let bytes = Self.bytes(using: &random)
      // The first byte sets the size of the parts.
      let input = [UInt8.random(in: 0 ..< 40, using: &random)] + bytes
      for (_, format) in Self.formats {
        if let fault = TableFuzzTarget.run(input, format: format, messages: &rows) {
          Issue.record("\(fault): \(input)")
        }
      }
    }
    #expect(rows > 1000)
  }

  @Test("nothing in the corpus breaks reading", arguments: formats.map(\.name))
  func corpus(name: String) throws {
    let format = try #require(Self.formats.first { $0.name == name }).format
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzzing/Corpus/\(name)")
    var rows = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted() {
      let input = [UInt8](try Data(contentsOf: folder.appending(path: file)))
      if let fault = TableFuzzTarget.run(input, format: format, messages: &rows) {
        Issue.record("\(file): \(fault)")
      }
    }
    #expect(rows > 0)
  }
}
