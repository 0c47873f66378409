// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import LayoutGeometry
import Testing

@testable import layoutctl

@Suite("TextMeasurer", .timeLimit(.minutes(1)))
struct TextMeasurerTests {
  @Test("a cell is as wide as before, and as high as its lines")
  func lines() {
    let measurer = TextMeasurer(textSize: 16)
    // 84 points of text, 8 for each character.
    #expect(measurer.size(of: "", width: 100) == Size(width: 100, height: 36))
    #expect(measurer.size(of: "ten of ten", width: 100) == Size(width: 100, height: 36))
    #expect(measurer.size(of: "one more..1", width: 100) == Size(width: 100, height: 56))
    #expect(measurer.size(of: String(repeating: "x", count: 100), width: 100).height == 216)
  }

  @Test("where not even a character has room, each has a line of its own")
  func narrow() {
    #expect(TextMeasurer(textSize: 16).size(of: "abc", width: 1).height == 76)
    #expect(TextMeasurer(textSize: 4).size(of: "abc", width: .greatestFiniteMagnitude).height == 21)
  }

  @Test("text sizes outside of their range are refused")
  func range() throws {
    for size in ["3.9", "201", "nan", "big"] {
      #expect(throws: (any Error).self) {
        try LayoutCtl.parseAsRoot(["watch", "art", "--measure", size])
      }
    }
    _ = try LayoutCtl.parseAsRoot(["watch", "art", "--measure", "17"])
  }
}
