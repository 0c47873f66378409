// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutClient
import LayoutProtocol

/// Rows grouped by section. Sections are in the order of their first row.
///
/// A section's rows may be anywhere in the file, and an import begins with the cell kinds. So all
/// rows are kept in memory, as columns: about 20 bytes per row and its key.
struct ImportedTable {
  private(set) var kindNames: [String] = []
  private(set) var itemCount = 0
  private var sections: [(key: String, items: ItemBlockBuilder)] = []
  /// Keys of sections that only look the same are different, as on the server.
  private var sectionIndices: [ExactText: Int] = [:]
  private var kindIndices: [ExactText: UInt32] = [:]

  var sectionCount: Int { sections.count }

  mutating func append(_ item: ImportedItem) {
    let kind = kindNumber(of: item.kind)
    let key = item.section ?? ""
    let exact = ExactText(key)
    let index: Int
    if let known = sectionIndices[exact] {
      index = known
    } else {
      index = sections.count
      sectionIndices[exact] = index
      sections.append((key, ItemBlockBuilder()))
    }
    sections[index].items.append(item, kind: kind)
    itemCount += 1
  }

  private mutating func kindNumber(of name: String?) -> UInt32 {
    guard let name else {
      // Some rows have a kind but this one has none.
      return kindNames.isEmpty ? 0 : number(of: "")
    }
    if kindNames.isEmpty, itemCount > 0 { _ = number(of: "") }
    return number(of: name)
  }

  private mutating func number(of name: String) -> UInt32 {
    if let known = kindIndices[ExactText(name)] { return known }
    let number = UInt32(clamping: kindNames.count)
    kindIndices[ExactText(name)] = number
    kindNames.append(name)
    return number
  }

  /// Sends the sections in order, in parts of at most a few thousand items.
  func send(to writer: inout ImportWriter) async throws {
    for (key, items) in sections {
      let (section, blocks) = Self.parts(key: key, items)
      try await writer.add(section)
      for block in blocks { try await writer.add(block) }
    }
  }

  /// The sections, and the blocks to send after each.
  var parts: [(section: Wire.Section, blocks: [Wire.ItemBlock])] {
    sections.map { Self.parts(key: $0.key, $0.items) }
  }

  /// Splits a section into parts. Most sections are small and fit one part.
  private static func parts(
    key: String,
    _ builder: ItemBlockBuilder
  ) -> (section: Wire.Section, blocks: [Wire.ItemBlock]) {
    var items = builder
    items.finish()
    var section = Wire.Section()
    section.key = key
    guard items.blocks.count == 1 else { return (section, items.blocks) }
    section.blocks = items.blocks
    return (section, [])
  }
}
