// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Rows gathered by section, sections in order of first appearance.
///
/// A section's rows may be anywhere in the file and its kinds are told first, so all rows are kept:
/// as columns, some 20 bytes a row and its key.
struct ImportedTable {
  private(set) var kindNames: [String] = []
  private(set) var itemCount = 0
  private var sections: [(key: String, items: ItemBlockBuilder)] = []
  private var sectionIndices: [String: Int] = [:]
  private var kindIndices: [String: UInt32] = [:]

  var sectionCount: Int { sections.count }

  mutating func append(_ item: ImportedItem) {
    let kind = kindNumber(of: item.kind)
    let key = item.section ?? ""
    let index: Int
    if let known = sectionIndices[key] {
      index = known
    } else {
      index = sections.count
      sectionIndices[key] = index
      sections.append((key, ItemBlockBuilder()))
    }
    sections[index].items.append(item, kind: kind)
    itemCount += 1
  }

  private mutating func kindNumber(of name: String?) -> UInt32 {
    guard let name else {
      // Only where some rows have a kind and this one has none.
      return kindNames.isEmpty ? 0 : number(of: "")
    }
    if kindNames.isEmpty, itemCount > 0 { _ = number(of: "") }
    return number(of: name)
  }

  private mutating func number(of name: String) -> UInt32 {
    if let known = kindIndices[name] { return known }
    let number = UInt32(clamping: kindNames.count)
    kindIndices[name] = number
    kindNames.append(name)
    return number
  }

  /// The parts of an import in order, none much larger than a few thousand items.
  func parts(_ body: (Wire.ImportContentsRequest) async throws -> Void) async throws {
    for (key, items) in sections {
      var items = items
      items.finish()
      var part = Wire.ImportContentsRequest()
      part.section.key = key
      // Most sections are small and travel as one.
      if let only = items.blocks.first, items.blocks.count == 1 {
        part.section.blocks = [only]
        items.blocks = []
      }
      try await body(part)
      for block in items.blocks {
        var part = Wire.ImportContentsRequest()
        part.items = block
        try await body(part)
      }
    }
  }
}
