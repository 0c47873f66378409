// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
package import LayoutProtocol

/// Reads an answer that comes in pages, one call for each, and refuses pages that never end.
package struct Pages {
  /// The token of the next page to ask for; "" = the first one.
  package private(set) var token = ""
  /// The tokens of all pages so far.
  private var seen: Set<String> = [""]
  /// How many pages in a row had no entries.
  private var emptyCount = 0

  /// The most pages in a row without entries. A server may filter pages, but not so many.
  private static let mostEmpty = 1000

  /// Starts at the first page.
  package init() {}

  /// Turns to the next page.
  ///
  /// - Parameters:
  ///   - next: the token of the next page, as the last one gives it; "" = there is none.
  ///   - entries: how many entries the last page had.
  /// - Returns: whether there is a next page.
  /// - Throws: `LayoutProblem` if the last page names itself or an earlier one as the next one, or
  ///   if a thousand pages in a row had no entries: asking for more would never end.
  package mutating func turn(to next: String, entries: Int) throws(LayoutProblem) -> Bool {
    guard !next.isEmpty else { return false }
    guard seen.insert(next).inserted else {
      throw Self.problem("the server gave the token of a page that it was asked for before")
    }
    emptyCount = entries > 0 ? 0 : emptyCount + 1
    guard emptyCount < Self.mostEmpty else {
      throw Self.problem("the server gave \(emptyCount) pages in a row without entries")
    }
    token = next
    return true
  }

  private static func problem(_ description: String) -> LayoutProblem {
    LayoutProblem(
      code: .internalError,
      reason: .none,
      message: "next_page_token: \(description)"
    )
  }
}
