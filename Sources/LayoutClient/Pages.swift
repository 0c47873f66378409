// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
package import LayoutProtocol

/// Reads an answer that comes in pages, one call for each.
package enum Pages {
  /// Turns to the next page.
  ///
  /// - Parameters:
  ///   - token: the token that the last page was asked for with; becomes that of the next one.
  ///   - next: the token of the next page, as the last one gives it; "" = there is none.
  /// - Returns: whether there is a next page.
  /// - Throws: `LayoutProblem` if the last page names itself as the next one: asking for it would
  ///   never end.
  package static func turn(_ token: inout String, to next: String) throws(LayoutProblem) -> Bool {
    guard !next.isEmpty else { return false }
    guard next != token else {
      throw LayoutProblem(
        code: .internalError,
        reason: .none,
        message: "next_page_token: the server gave the token of the page that it was asked for"
      )
    }
    token = next
    return true
  }
}
