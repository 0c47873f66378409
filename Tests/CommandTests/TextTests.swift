// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import layoutctl

@Suite("Text", .timeLimit(.minutes(2)))
struct TextTests {
  @Test("aligns columns by their longest cell, without blanks at the ends")
  func table() {
    var table = TextTable([.init("NAME"), .init("COUNT", .right), .init("NOTE")])
    table.append(["a", "12,345", "x"])
    table.append(["äöü", "7"])
    table.append(["b", "1", "y", "left out"])
    #expect(
      table.text == """
        NAME   COUNT  NOTE
        a     12,345  x
        äöü        7
        b          1  y
        """
    )
  }

  @Test(
    "writes numbers as short as they are",
    arguments: [
      (0.0, "0"), (-0.0, "0"), (12, "12"), (0.5, "0.5"), (-3.125, "-3.13"), (1.999, "2"),
      (-0.001, "0"), (1234567.891, "1234567.89"), (0.07, "0.07"), (1e300, "1e+300"),
    ]
  )
  func numbers(value: Double, text: String) {
    #expect(value.text() == text)
  }

  @Test("puts commas between groups of three digits")
  func groups() {
    #expect(
      [0, 999, 1000, 65_834, -1_234_567].map(\.grouped) == [
        "0", "999", "1,000", "65,834", "-1,234,567",
      ]
    )
    #expect(Int.min.grouped == "-9,223,372,036,854,775,808")
  }
}
