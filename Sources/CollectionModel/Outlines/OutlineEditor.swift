// SPDX-License-Identifier: Apache-2.0

/// Applies edits of outlines one after another.
///
/// Keeps the contents as the edits so far have left them, and for each touched section where its
/// items come from. The whole change is made from the latter at the end.
struct OutlineEditor {
  private let old: CollectionContents
  private(set) var contents: CollectionContents
  let limits: ContentsLimits
  private var index: KeyIndex
  /// The pieces of the sections that were touched.
  private var pieces: [Int: OutlinePieces] = [:]
  /// How many items have been touched: see `ContentsLimits.outlineSteps`.
  private var steps = 0

  /// The change that some edits make.
  ///
  /// - Complexity: O(k log n), where k is the number of edits and of the items that they bring or
  ///   touch; moving a tree touches all of its items.
  /// - Throws: why an edit is refused. Paths are relative to the batch:
  ///   "outline.edits[3].insert.at.before".
  static func change(
    from old: CollectionContents,
    by edits: [OutlineEdit],
    limits: ContentsLimits,
    isAnimated: Bool
  ) throws(Refusal) -> ContentsChange {
    try checkCount(of: edits, limits)
    var editor = OutlineEditor(old, limits: limits)
    for (i, edit) in edits.enumerated() {
      do throws(Refusal) { try editor.apply(edit) } catch {
        throw error.within("outline.edits[\(i)]")
      }
    }
    return editor.finish(isAnimated: isAnimated)
  }

  /// Counts the edits, a removal as often as it has keys: each is found, and leaves a gap of its
  /// own.
  ///
  /// - Throws: QUOTA_OPERATIONS where there are too many.
  private static func checkCount(
    of edits: [OutlineEdit],
    _ limits: ContentsLimits
  ) throws(Refusal) {
    guard edits.count <= limits.operations else {
      throw Refusal(
        .quotaOperations,
        field: "outline.edits",
        "\(edits.count) edits; at most \(limits.operations)"
      )
    }
    var count = edits.count
    for (i, edit) in edits.enumerated() {
      guard case .remove(let keys) = edit else { continue }
      count += max(keys.count - 1, 0)
      guard count > limits.operations else { continue }
      throw Refusal(
        .quotaOperations,
        field: "outline.edits[\(i)].remove.keys",
        "\(keys.count) keys, with which the batch has \(count) edits, each key of a removal being one; "
          + "at most \(limits.operations)"
      )
    }
  }

  private init(_ contents: CollectionContents, limits: ContentsLimits) {
    old = contents
    self.contents = contents
    self.limits = limits
    index = contents.keyIndex.index(of: contents)
  }

  private mutating func apply(_ edit: OutlineEdit) throws(Refusal) {
    switch edit {
    case .insert(let place, let blocks):
      do throws(Refusal) { try insert(blocks, at: place) } catch { throw error.within("insert") }
    case .remove(let keys):
      do throws(Refusal) { try remove(keys) } catch { throw error.within("remove") }
    case .replaceChildren(let parent, let blocks):
      do throws(Refusal) { try replaceChildren(of: parent, by: blocks) } catch {
        throw error.within("replace_children")
      }
    case .move(let key, let place):
      do throws(Refusal) { try move(key, to: place) } catch { throw error.within("move") }
    case .expansion(let change):
      do throws(Refusal) { try apply(change) } catch { throw error.within("expansion") }
    }
  }

  // MARK: - Reading

  /// The index path of the item with a key; nil = no item has it.
  func path(of key: String) -> IndexPath? { index.path(ofItem: key, in: contents) }

  /// The index of the section with a key; nil = no section has it.
  func sectionIndex(ofKey key: String) -> Int? { index.sectionIndex(ofKey: key, in: contents) }

  /// All items of a section.
  func items(of section: Int) -> ItemSequence { contents.sections[section].contents.items }

  /// Where some items come from.
  mutating func pieces(of section: Int, in range: Range<Int>) -> [OutlinePiece] {
    allPieces(of: section).pieces(in: range)
  }

  private func allPieces(of section: Int) -> OutlinePieces {
    pieces[section]
      ?? OutlinePieces(section: section, count: old.sections[section].summary.itemCount)
  }

  // MARK: - Editing

  /// Counts items that an edit touches.
  ///
  /// - Throws: QUOTA_STEPS if the batch touches too many.
  mutating func touch(_ count: Int, field: String) throws(Refusal) {
    steps += count
    guard steps > limits.outlineSteps else { return }
    throw Refusal(
      .quotaSteps,
      field: field,
      "the batch moves or expands \(steps) items up to here, each as often as an edit touches it; "
        + "at most \(limits.outlineSteps)"
    )
  }

  /// Replaces items of a section.
  ///
  /// - Parameter new: where the new items come from; as many items as `slices` have.
  mutating func replace(
    _ range: Range<Int>,
    of section: Int,
    with slices: [ChunkSlice],
    _ new: [OutlinePiece]
  ) {
    editPieces(of: section) { $0.replace(range, with: new) }
    replace([ItemSplice(range, with: slices)], of: section)
  }

  /// Removes items of a section in one pass over its tree.
  ///
  /// - Parameter ranges: sorted, disjoint and not empty.
  /// - Complexity: O(k log n) for k ranges
  mutating func remove(_ ranges: [Range<Int>], of section: Int) {
    editPieces(of: section) { pieces in
      // From the last to the first, so that the places of the others remain valid.
      for range in ranges.reversed() { pieces.replace(range, with: []) }
    }
    replace(ranges.map { ItemSplice($0, with: []) }, of: section)
  }

  /// Gives items of a section new values in one pass over its tree.
  ///
  /// - Parameter edits: sorted and disjoint.
  /// - Complexity: O(k log n + items of the edits) for k edits
  mutating func replace(_ edits: [(start: Int, slice: ChunkSlice)], of section: Int) {
    guard !edits.isEmpty else { return }
    let ranges = edits.map { $0.start ..< $0.start + $0.slice.count }
    editPieces(of: section) { pieces in
      for range in ranges {
        var same = pieces.pieces(in: range)
        for i in same.indices { same[i].isReconfigured = true }
        pieces.replace(range, with: same)
      }
    }
    replace(zip(ranges, edits).map { ItemSplice($0, with: [$1.slice]) }, of: section)
  }

  /// Changes the pieces of a section in place.
  private mutating func editPieces(of section: Int, _ edit: (inout OutlinePieces) -> Void) {
    var edited = allPieces(of: section)
    // While the dictionary has them too, each change would copy a path of their tree.
    pieces[section] = nil
    edit(&edited)
    pieces[section] = edited
  }

  private mutating func replace(_ splices: [ItemSplice], of section: Int) {
    let entry = contents.sections[section]
    var edited = entry.contents
    var log: [ChunkReplacement]? = []
    edited.items.replace(splices, log: &log)
    contents.sections[section] = entry.replacing(edited)
    for replacement in log ?? [] { index.apply(replacement, serial: entry.serial) }
  }

  // MARK: - Result

  private mutating func finish(isAnimated: Bool) -> ContentsChange {
    var changes: [ContentsChange.SectionChange] = []
    var maps: [ItemMap] = []
    var moves: [PlaceMove] = []
    for section in pieces.keys.sorted() {
      let plan = SequencePlan(
        section: section,
        count: old.sections[section].summary.itemCount,
        pieces: allPieces(of: section).all,
        moves: &moves
      )
      let map = plan.map(of: plan.parts())
      guard !map.splices.isEmpty else { continue }
      maps.append(ItemMap(oldSection: section, newSection: section, items: map))
      changes.append(
        ContentsChange.SectionChange(
          oldIndex: section,
          newIndex: section,
          itemSplices: map.splices,
          metricsChanged: false
        )
      )
    }
    contents.sectionsChanged()
    contents.keyIndex = KeyIndexCache(index.isWorn(for: contents) ? nil : index)
    return ContentsChange(
      old: old,
      new: contents,
      isAnimated: isAnimated,
      sectionMap: SpliceMap(),
      changedSections: changes,
      itemMaps: maps,
      moves: moves.sorted { $0.old < $1.old }
    )
  }
}
