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
    guard edits.count <= limits.operations else {
      throw Refusal(
        .quotaOperations,
        field: "outline.edits",
        "\(edits.count) edits; at most \(limits.operations)"
      )
    }
    var editor = OutlineEditor(old, limits: limits)
    for (i, edit) in edits.enumerated() {
      do throws(Refusal) { try editor.apply(edit) } catch {
        throw error.within("outline.edits[\(i)]")
      }
    }
    return editor.finish(isAnimated: isAnimated)
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
    var sectionPieces = allPieces(of: section)
    sectionPieces.replace(range, with: new)
    pieces[section] = sectionPieces
    let entry = contents.sections[section]
    var section = (index: section, contents: entry.contents)
    var log: [ChunkReplacement]? = []
    section.contents.items.replace(range, with: slices, log: &log)
    contents.sections[section.index] = entry.replacing(section.contents)
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
