// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutProtocol
import Testing

@testable import layoutctl

@Suite("Files", .timeLimit(.minutes(1)))
struct TextFileTests {
  /// A folder that is gone after the test.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "layoutctl-test-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("a file that is too large to be read as a whole is named with the limit")
  func limit() throws {
    try withFolder { folder in
      let path = folder.appending(path: "a.json").path
      try TextFile.write("12345", to: path)
      #expect(try TextFile.read(path, atMost: 5).count == 5)
      let fault = #expect(throws: CommandFault.self) { try TextFile.read(path, atMost: 4) }
      #expect(fault?.message == "\(path): more than 4 bytes")
      #expect(fault?.status == .usage)
    }
    let device = #expect(throws: CommandFault.self) { try TextFile.read("/dev/zero") }
    #expect(device?.message == "/dev/zero: more than 67,108,864 bytes")
    let script = #expect(throws: CommandFault.self) { try TextFile.readText("/dev/zero") }
    #expect(script == device)
    let contexts = #expect(throws: CommandFault.self) {
      try ContextFile.read(["LAYOUTCTL_CONFIG": "/dev/zero"])
    }
    #expect(contexts?.message == "/dev/zero: more than 1,048,576 bytes")
  }

  @Test(
    "a message that is not valid JSON is refused with what is wrong",
    arguments: [
      (#"{"flow":"#, "end of file"), (#"{"flow":{"minimumLineSpacing":1e999}}"#, "number"),
      (#"{"flow":[]}"#, "kind"), (#"{"list":{},"flow":{}}"#, "exclude each other"),
      (#"{"flow":{"wrong":1}}"#, #"no field "wrong""#),
    ]
  )
  func faults(json: String, words: String) {
    let fault = #expect(throws: CommandFault.self) { try LayoutArgument(json).spec() }
    #expect(fault?.message.lowercased().contains(words) == true, "\(fault?.message ?? "")")
    #expect(fault?.message.contains("failure") == false)
  }

  @Test("a message that is not UTF-8 is refused with the place")
  func encoding() {
    let fault = #expect(throws: CommandFault.self) {
      try Wire.LayoutSpec(json: Array(#"{"a":""#.utf8) + [0xE9, 0x22, 0x7D], of: "a.json")
    }
    #expect(fault?.message.contains("not UTF-8 at byte 7") == true)
  }
}
