// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Items that the user moves by hand, from picking them up to the commit of the move.
///
/// In the session's preview the items lie one behind the other, the lead first.
struct MovementState: Sendable {
  /// What is held, the lead first; never empty.
  let items: [HeldItem]
  /// The rows of `items`; none where these come from elsewhere, and until they are shown.
  let rows: HeldRows
  /// The state of items from elsewhere; nil = the collection has the items.
  var foreign: Boxed<ForeignHold>?
  /// Whether the preview shows the items. Those from elsewhere are shown when a place has accepted
  /// them.
  var isShown = true
  /// The lead's index path in the preview, if it is shown.
  var path: IndexPath
  /// The place in an outline to which the lead goes; nil = it stays where it is, or is in no
  /// outline.
  var place: OutlinePlace?
  /// The level that the items have there; nil = they are in no outline.
  var level: Int?
  /// The lead's centre, in content coordinates; nil = the user has not moved it yet.
  var position: Point?
  /// The wish that came with `position` or `target`.
  var wish = DropPreference()
  /// Whether `path` has to be found for `position` when the layout has been supplied.
  var isPlacePending = false
  /// Where the user wants the lead, whatever lies there; nil = `position` decides.
  var target: IndexPath?
  /// A target at which the preview does not show the items yet, because a later one is about to
  /// come; nil = the preview shows what was wanted. `position` may be newer.
  var pendingTarget: (path: IndexPath, level: Int?)?
  /// The change from the collection's rows to the preview; nil = it took several.
  var preview: Boxed<MovementPreview>?
  /// The event that dropped the items, while its commit is pending; nil = the user holds them.
  var committing: UInt64?

  init(
    items: [HeldItem],
    foreign: Boxed<ForeignHold>? = nil,
    isShown: Bool = true,
    path: IndexPath,
    level: Int? = nil,
    rows: HeldRows? = nil
  ) {
    self.items = items
    self.foreign = foreign
    self.isShown = isShown
    self.path = path
    self.level = level
    self.rows = rows ?? HeldRows(foreign == nil ? items : [])
  }

  /// The places of the items in the preview; nil = it does not show them.
  var run: ClosedRange<IndexPath>? { isShown ? path ... path(at: items.count - 1) : nil }

  /// The place of an item in the preview.
  ///
  /// - Parameter index: of `items`.
  func path(at index: Int) -> IndexPath { path.advanced(by: index) }

  /// The places of all items, before the movement and in the preview.
  var moves: [(from: IndexPath, to: IndexPath)] {
    items.enumerated().map { ($1.row, path(at: $0)) }
  }

  /// The index of the item from elsewhere that a row of the preview shows; nil = it shows none.
  func foreignIndex(ofRow path: IndexPath) -> Int? {
    guard foreign != nil, let run, run.contains(path), let row = path.item,
      let first = run.lowerBound.item
    else { return nil }
    return row - first
  }

  /// How many of the items lie before a row of the viewer, not counting the movement.
  func count(before row: Int, ofSection section: Int) -> Int {
    rows.count(before: IndexPath(section: section, item: row))
  }

  /// Roughly the memory in use, in bytes.
  var byteCount: Int {
    MemoryLayout<MovementState>.stride + items.capacity * MemoryLayout<HeldItem>.stride
      + rows.byteCount + (foreign?.value.byteCount ?? 0)
      + (preview == nil ? 0 : items.count * MovementPreview.byteCountPerItem)
  }
}

/// The change that shows held items together, which also leads back.
struct MovementPreview: Sendable {
  let change: ContentsChange
  /// `SessionContents.epoch` after it: as long as that is the same, nothing else has changed.
  let epoch: Int

  /// Roughly what the change keeps for each item, in bytes: two splices, in two lists, and a move
  /// with its numbers.
  static let byteCountPerItem = 256
}

/// An item that is held.
struct HeldItem: Sendable {
  /// The item's index path among all items of the collection; meaningless if it comes from
  /// elsewhere.
  var item = IndexPath(section: 0)
  /// Its index path among the rows that the viewer sees, without the movement; meaningless if it
  /// comes from elsewhere.
  var row = IndexPath(section: 0)
  /// How many items move: the item and its descendants.
  var count = 1
  /// How many levels it has below it.
  var depth = 0
  /// Whether the movement has collapsed it.
  var isCollapsed = false
}

/// Held items that the collection does not have.
struct ForeignHold: Sendable {
  let items: DraggedItems
  /// The name of the collection that has them; nil = none has.
  let source: String?
  /// The slots of the cells in the preview, by the index of the item, while a batch interrupts the
  /// movement; nil = the preview did not show the items.
  var slots: [(index: Int, slot: UInt32)]?
  /// Measured sizes of rows in the preview, by the index of the item.
  var measured: [Int: Size] = [:]
  private let itemByteCount: Int

  init(_ items: DraggedItems, source: String?) {
    self.items = items
    self.source = source
    itemByteCount = items.byteCount
  }

  /// Roughly the memory in use, in bytes.
  var byteCount: Int { itemByteCount + measured.count * 48 }
}

/// The rules of movements that a session keeps, with their memory.
struct SessionMovementRules: Sendable {
  var rules: MovementRules
  /// Roughly the memory in use, in bytes.
  var byteCount: Int

  init(_ rules: MovementRules) {
    self.rules = rules
    byteCount = rules.byteCount
  }

  /// Updates the section indices after a change; nil = there are none.
  func following(_ change: ContentsChange) -> SessionMovementRules? {
    guard !change.sectionSplices.isEmpty || change.hasMoves else { return nil }
    var result = self
    for (index, target) in rules.targets.enumerated() {
      guard case .index(let section) = target.section else { continue }
      let new = change.newIndexPath(ofOld: IndexPath(section: section))?.section
      result.rules.targets[index].section = new.map(MovementRules.Section.index) ?? .gone
    }
    return result
  }
}

extension IndexPath {
  /// The place some items further on in the same section.
  func advanced(by count: Int) -> IndexPath {
    IndexPath(section: section, item: (item ?? 0) + count)
  }
}
