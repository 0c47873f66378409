// SPDX-License-Identifier: Apache-2.0

import LayoutClient
import LayoutProtocol

/// Writes the parts of an export as one JSON document, each as it comes.
///
/// What no collection can contain is refused, so that a document can be read again.
struct ContentsWriter {
  private let write: (String) throws -> Void
  private var check = ExportCheck()
  private var kindCount = 1
  private var place = Place.document
  private var sectionCount = 0
  /// The number of items written.
  private(set) var itemCount = 0

  /// Inside of what the next part is written.
  private enum Place {
    case document
    case section
    /// In a section's list of blocks.
    case blocks
  }

  /// - Parameter write: gets the document in order.
  init(_ write: @escaping (String) throws -> Void) { self.write = write }

  /// Writes a part.
  ///
  /// - Throws: `LayoutProblem` if it is no valid part of a complete export; what `write` throws.
  mutating func take(_ message: Wire.ExportContentsResponse) throws {
    try check.take(message)
    switch message.part {
    case .header:
      kindCount = max(1, message.cellKindNames.count)
      var names = Wire.CollectionContents()
      names.cellKindNames = message.cellKindNames
      try write(Self.open(try names.json(), "sections"))
    case .section(let section): try begin(section)
    case .items(let block): try add(block)
    case nil: break
    }
  }

  /// Ends the document.
  ///
  /// - Throws: `LayoutProblem` if parts are missing.
  mutating func finish() throws {
    try check.finish()
    try endSection()
    try write("]}\n")
  }

  private mutating func begin(_ section: Wire.Section) throws {
    try endSection()
    var reader = FieldReader()
    _ = reader.sectionBlocks(section, kindCount: kindCount)
    try reader.finish()
    var head = section
    head.blocks = []
    // Without its closing brace, so that blocks can follow.
    try write((sectionCount > 0 ? ",\n" : "\n") + head.json().dropLast())
    place = .section
    hasMembers = try head.json() != "{}"
    sectionCount += 1
    for block in section.blocks { try add(block) }
  }

  /// Whether something is in the section before its blocks.
  private var hasMembers = false

  private mutating func add(_ block: Wire.ItemBlock) throws {
    guard block.count > 0 else { return }
    var reader = FieldReader()
    _ = reader.block(block, kindCount: kindCount)
    try reader.finish()
    let separator =
      place == .blocks ? "," : (hasMembers ? "," : "") + #""blocks":["#
    try write(separator + block.json())
    place = .blocks
    itemCount = itemCount.addingClamped(Int(block.count))
  }

  private mutating func endSection() throws {
    switch place {
    case .document: return
    case .section: try write("}")
    case .blocks: try write("]}")
    }
    place = .document
  }

  /// An object of JSON that is continued with a list in the member `name`.
  private static func open(_ object: String, _ name: String) -> String {
    let head = object.dropLast()
    return "\(head)\(head.count > 1 ? "," : "")\"\(name)\":["
  }
}
