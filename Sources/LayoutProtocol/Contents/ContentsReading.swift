// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

extension FieldReader {
  /// The longest key of an item or section, in UTF-8 bytes.
  package static let maxKeyBytes = 128

  /// The longest name of a cell kind, layout or request, in UTF-8 bytes.
  package static let maxNameBytes = 128

  /// The most cell kinds. Kinds of elements are 16-bit numbers, and layouts need some of these for
  /// kinds of their own.
  static let maxCellKinds = 32_768

  /// Reads whole contents in the field `name`. Counts are checked against `limits` before anything
  /// is built; empty if anything is refused.
  ///
  /// - Complexity: O(bytes of the message); columns are taken over, not copied.
  package mutating func contents(
    _ message: Wire.CollectionContents,
    _ name: StaticString,
    limits: ContentsLimits
  ) -> CollectionContents {
    within(name) { $0.contents(message, limits: limits) }
  }

  /// Reads whole contents, which are the current message.
  package mutating func contents(
    _ message: Wire.CollectionContents,
    limits: ContentsLimits
  ) -> CollectionContents {
    let names = kindNames(message.cellKindNames, "cell_kind_names")
    guard message.sections.count <= limits.sections else {
      fail(
        .quotaExceeded(
          .sections,
          limit: UInt64(limits.sections),
          found: UInt64(message.sections.count),
          field: path(to: "sections")
        )
      )
      return .empty
    }
    // No overflow: a message has fewer than 2³¹ blocks, each of less than 2³² items.
    let itemCount = message.sections.reduce(0) { count, section in
      section.blocks.reduce(count) { $0 + Int($1.count) }
    }
    guard itemCount <= limits.items else {
      fail(
        .quotaExceeded(
          .items,
          limit: UInt64(limits.items),
          found: UInt64(itemCount),
          field: path(to: "sections")
        )
      )
      return .empty
    }
    let kindCount = max(1, message.cellKindNames.count)
    let sections = each(message.sections, "sections") { section, reader in
      reader.sectionBlocks(section, kindCount: kindCount)
    }
    guard isClean else { return .empty }
    do throws(Refusal) {
      return try CollectionContents(validating: sections, cellKindNames: names, limits: limits)
    } catch {
      refuse(error)
      return .empty
    }
  }

  /// Refuses what the model refused. The model's paths start at the current message.
  private mutating func refuse(_ error: Refusal) {
    if error.reason == .fieldInvalid {
      for violation in error.violations { reject(path: violation.field, violation.description) }
    } else {
      fail(LayoutProblem(error.within(path())))
    }
  }

  /// Checks the names of cell kinds: their number, their lengths, and that no name occurs twice.
  package mutating func kindNames(_ names: [String], _ name: StaticString) -> [String] {
    guard names.count <= FieldReader.maxCellKinds else {
      reject(name, "\(names.count) names found; at most \(FieldReader.maxCellKinds) are allowed")
      return []
    }
    var seen: Set<ExactText> = []
    for (index, kind) in names.enumerated() {
      if kind.utf8.count > FieldReader.maxNameBytes {
        reject(
          name,
          at: index,
          "\(kind.utf8.count) bytes found; at most \(FieldReader.maxNameBytes) are allowed"
        )
      } else if !seen.insert(ExactText(kind)).inserted {
        reject(name, at: index, "\(Quoted(kind)) found twice; names must be different")
      }
    }
    return names
  }

  /// Reads a section with its items.
  ///
  /// - Parameter kindCount: the number of cell kinds; nil = not known here, kinds are checked when
  ///   the section is added to contents.
  package mutating func sectionBlocks(_ message: Wire.Section, kindCount: Int?) -> SectionBlocks {
    SectionBlocks(
      key: text(message.key, "key", maxBytes: FieldReader.maxKeyBytes),
      blocks: blocks(message.blocks, kindCount: kindCount),
      metrics: message.hasMetrics ? metrics(message.metrics, "metrics") : SectionMetrics(),
      layoutName: text(message.layoutName, "layout_name", maxBytes: FieldReader.maxNameBytes),
      outline: message.hasOutline ? within("outline") { $0.outline(message.outline) } : nil
    )
  }

  /// Reads a section that a batch inserts.
  mutating func section(_ message: Wire.Section) -> SectionContents {
    let section = sectionBlocks(message, kindCount: nil)
    return SectionContents(
      key: section.key,
      metrics: section.metrics,
      layoutName: section.layoutName,
      outline: section.outline,
      blocks: section.blocks
    )
  }

  /// Reads the metrics of a section; those that are not set stay nil.
  package mutating func metrics(
    _ message: Wire.SectionMetrics,
    _ name: StaticString
  ) -> SectionMetrics {
    within(name) { reader in
      SectionMetrics(
        inset: message.hasInset ? reader.insets(message.inset, "inset") : nil,
        lineSpacing: message.hasLineSpacing
          ? reader.number(message.lineSpacing, "line_spacing") : nil,
        interitemSpacing: message.hasInteritemSpacing
          ? reader.number(message.interitemSpacing, "interitem_spacing") : nil,
        headerSize: message.hasHeaderSize ? reader.size(message.headerSize, "header_size") : nil,
        footerSize: message.hasFooterSize ? reader.size(message.footerSize, "footer_size") : nil
      )
    }
  }

  /// Reads the blocks of a section, in the field "blocks".
  package mutating func blocks(_ messages: [Wire.ItemBlock], kindCount: Int?) -> [ItemBlock] {
    each(messages, "blocks") { $1.block($0, kindCount: kindCount) }
  }

  /// Reads a block of items, column by column. A column that is refused becomes empty.
  package mutating func block(_ message: Wire.ItemBlock, kindCount: Int?) -> ItemBlock {
    let count = Int(message.count)
    return ItemBlock(
      count: count,
      widths: column(message.widths, "widths", count: count, from: 0),
      heights: column(message.heights, "heights", count: count, from: 0),
      xs: column(message.xs, "xs", count: count, from: -FieldReader.maxMagnitude),
      ys: column(message.ys, "ys", count: count, from: -FieldReader.maxMagnitude),
      cellKinds: kinds(message.cellKinds, count: count, kindCount: kindCount),
      keys: keys(message.keys, count: count),
      outline: message.hasOutline
        ? within("outline") { $0.outlineColumns(message.outline, count: count) } : OutlineColumns(),
      data: columnCount(message.data.count, "data", count: count) ? message.data : []
    )
  }

  private mutating func outline(_ message: Wire.Outline) -> OutlineExpansion? {
    switch message.expansion {
    case .unspecified, .perViewer: return .perViewer
    case .shared: return .shared
    case .UNRECOGNIZED(let value):
      reject("expansion", "\(value) found; a value of OutlineExpansion is needed")
      return nil
    }
  }

  private mutating func outlineColumns(
    _ message: Wire.OutlineColumns,
    count: Int
  ) -> OutlineColumns {
    guard columnCount(message.levels.count, "levels", count: count),
      columnCount(message.expanded.count, "expanded", count: count),
      columnCount(message.expandable.count, "expandable", count: count)
    else { return OutlineColumns() }
    let highest = OutlineItem.highestLevel
    if let fault = message.levels.firstIndex(where: { $0 > highest }) {
      reject("levels", at: fault, "\(message.levels[fault]) found; 0 to \(highest) are allowed")
      return OutlineColumns()
    }
    return OutlineColumns(
      levels: message.levels.map { Int($0) },
      expanded: message.expanded,
      expandable: message.expandable
    )
  }

  private mutating func kinds(_ kinds: [UInt32], count: Int, kindCount: Int?) -> [Int] {
    guard columnCount(kinds.count, "cell_kinds", count: count) else { return [] }
    let limit = UInt32(clamping: kindCount ?? FieldReader.maxCellKinds)
    if let fault = kinds.firstIndex(where: { $0 >= limit }) {
      reject(
        "cell_kinds",
        at: fault,
        "\(kinds[fault]) found; indices of cell_kind_names, below \(limit), are allowed"
      )
      return []
    }
    return kinds.map { Int($0) }
  }

  private mutating func keys(_ keys: [String], count: Int) -> [String] {
    guard keys.isEmpty || keys.count == count else {
      reject("keys", "\(keys.count) values found; none or count = \(count) are allowed")
      return []
    }
    if let fault = keys.firstIndex(where: {
      $0.isEmpty || $0.utf8.count > FieldReader.maxKeyBytes
    }) {
      reject(
        "keys",
        at: fault,
        "\(keys[fault].utf8.count) bytes found; 1 to \(FieldReader.maxKeyBytes) are allowed"
      )
      return []
    }
    return keys
  }
}
