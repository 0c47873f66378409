// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ServerCommand

@Suite("Output of the log", .timeLimit(.minutes(1)))
struct LogOutputTests {
  private func line(_ number: Int) -> [UInt8] {
    Array("\(number) \(String(repeating: "x", count: 100))\n".utf8)
  }

  /// The numbers at the beginning of all lines in a pipe that is closed.
  private func numbers(in pipe: Pipe) throws -> [String] {
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
  }

  @Test("lines are there at once while the reader has room")
  func atOnce() throws {
    let pipe = Pipe()
    let output = LogOutput(file: pipe.fileHandleForWriting.fileDescriptor)
    for number in 0 ..< 100 { output.write(line(number)) }
    try pipe.fileHandleForWriting.close()
    #expect(try numbers(in: pipe) == (0 ..< 100).map(String.init))
  }

  @Test("a reader that reads nothing stops nobody, and what it misses is counted")
  func stalled() async throws {
    let pipe = Pipe()
    let output = LogOutput(file: pipe.fileHandleForWriting.fileDescriptor)
    let count = 20_000
    // Two megabytes: a pipe holds 64 KiB, and at most another one waits.
    for number in 0 ..< count { output.write(line(number)) }
    var read: [UInt8] = []
    let end = Array("too slow\n".utf8)
    while !read.suffix(end.count).elementsEqual(end) {
      read += pipe.fileHandleForReading.availableData
    }
    let lines = String(decoding: read, as: UTF8.self).split(separator: "\n")
    let kept = lines.dropLast().compactMap { Int($0.prefix { $0 != " " }) }
    #expect(kept == Array(0 ..< kept.count))
    let dropped = Int(lines.last?.prefix { $0 != " " } ?? "")
    #expect(dropped.map { $0 + kept.count } == count)
    // The reader has caught up: lines are written again.
    output.write(line(count))
    #expect(pipe.fileHandleForReading.availableData.starts(with: Data("\(count) ".utf8)))
  }

  @Test("a line that is longer than a pipe has room for comes whole")
  func longLine() throws {
    let pipe = Pipe()
    let output = LogOutput(file: pipe.fileHandleForWriting.fileDescriptor)
    let long = Array(String(repeating: "y", count: 300_000).utf8) + [0x0A]
    output.write(line(1))
    output.write(long)
    output.write(line(2))
    var read: [UInt8] = []
    let wanted = line(1) + long + line(2)
    while read.count < wanted.count { read += pipe.fileHandleForReading.availableData }
    #expect(read == wanted)
  }
}
