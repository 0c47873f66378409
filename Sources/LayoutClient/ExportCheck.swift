// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
package import LayoutProtocol

/// Checks that the parts of an export are complete: first a header, then as many sections and items
/// as it says, each item below a section.
package struct ExportCheck {
  /// The collection that is exported; nil = no part came yet.
  package private(set) var header: Wire.Collection?
  private var sections: UInt64 = 0
  private var items: UInt64 = 0

  /// Starts before the header.
  package init() {}

  /// Checks the next part.
  ///
  /// - Throws: `LayoutProblem` if it does not belong there, or if it has more than the header says.
  package mutating func take(
    _ message: CollectionLayout_V1_ExportContentsResponse
  ) throws(LayoutProblem) {
    switch message.part {
    case .header(let collection):
      guard header == nil else { throw Self.problem("there is a second header") }
      header = collection
      return
    case .section(let section):
      sections += 1
      for block in section.blocks { count(block) }
    case .items(let block):
      guard sections > 0 else { throw Self.problem("there are items before the first section") }
      count(block)
    case nil: throw Self.problem("a part is neither header nor section nor items")
    }
    guard let header else { throw Self.problem("there is no header before the contents") }
    guard sections <= header.sectionCount, items <= header.itemCount else {
      throw Self.problem("more than \(Self.counts(header.sectionCount, header.itemCount)) came")
    }
  }

  /// Checks that nothing is missing, after the last part.
  ///
  /// - Returns: the header.
  @discardableResult
  package func finish() throws(LayoutProblem) -> Wire.Collection {
    guard let header else { throw Self.problem("there is no header") }
    guard sections == header.sectionCount, items == header.itemCount else {
      throw Self.problem(
        "\(Self.counts(header.sectionCount, header.itemCount)) were to come, and "
          + "\(Self.counts(sections, items)) came"
      )
    }
    return header
  }

  private mutating func count(_ block: Wire.ItemBlock) {
    let (sum, overflows) = items.addingReportingOverflow(UInt64(block.count))
    items = overflows ? .max : sum
  }

  private static func counts(_ sections: some BinaryInteger, _ items: UInt64) -> String {
    "\(sections) sections with \(items) items"
  }

  private static func problem(_ description: String) -> LayoutProblem {
    LayoutProblem(
      code: .dataLoss,
      reason: .none,
      message: "The export is not complete: \(description)."
    )
  }
}
