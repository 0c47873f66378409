// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import Testing

@testable import layoutctl

@Suite("Text of others", .timeLimit(.minutes(1)))
struct PrintableTextTests {
  @Test(
    "reaches terminals without what controls them",
    arguments: [
      ("plain äöü 漢字 👩‍👩‍👧", "plain äöü 漢字 👩‍👩‍👧"),
      ("\u{1B}[31mred\u{7}", #"\u{1B}[31mred\u{7}"#),
      ("a\tb\nc\rd\u{0}", #"a\u{9}b\u{A}c\u{D}d\u{0}"#),
      ("\u{9B}2J\u{7F}", #"\u{9B}2J\u{7F}"#),
      ("\u{202E}txt.exe\u{2066}", #"\u{202E}txt.exe\u{2066}"#),
      ("\u{2028}", #"\u{2028}"#),
    ]
  )
  func escapes(text: String, printed: String) { #expect(text.printable == printed) }

  @Test("is quoted as found, cut after 80 characters")
  func quotes() {
    #expect("a\u{202E}b".quotedAsFound == #""a\u{202E}b""#)
    #expect("".quotedAsFound == "\"\"")
    let long = String(repeating: "ä", count: 81)
    #expect(long.quotedAsFound == "\"\(long.dropLast())…\"")
    let stack = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(stack.quotedAsFound.utf8.count < 400 && stack.quotedAsFound.hasSuffix("…\""))
  }

  @Test("in tables and faults too")
  func everywhere() {
    var table = TextTable([.init("NAME")])
    table.append(["\u{1B}]0;title\u{7}"])
    #expect(table.lines[1] == #"\u{1B}]0;title\u{7}"#)
    #expect(CommandFault("no \u{1B}[2J").description == #"no \u{1B}[2J"#)
  }
}
