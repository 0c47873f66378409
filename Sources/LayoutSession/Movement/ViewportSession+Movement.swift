// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Carries out a step of a movement.
  ///
  /// - Parameter isSuperseded: whether a later step decides where the items go. This one is checked
  ///   and noted, and shown only if the later one is refused.
  /// - Throws: WRONG_STATE if the step does not follow the one before; INDEX_OUT_OF_RANGE,
  ///   KEY_UNKNOWN or ELEMENT_HIDDEN if there is no such item or place; MOVE_REFUSED if the rules
  ///   are against it; FIELD_INVALID if a value is out of range.
  mutating func apply(
    _ step: InteractiveMovement,
    seq: UInt64,
    isSuperseded: Bool
  ) throws(Refusal) -> [SessionMessage] {
    switch step {
    case .begin(let path):
      try checkNothingHeld()
      try begin([row(path, field: "begin")], field: "begin")
    case .beginItems(let items):
      try checkNothingHeld()
      try begin(rows(of: items), field: "begin_items")
    case .beginForeign(let items):
      try checkNothingHeld()
      return try begin(items, seq: seq)
    case .rules(let rules):
      movementRules = Boxed(SessionMovementRules(rules))
    case .position(let point, let wish):
      guard var held = movement, held.committing == nil else { throw Self.nothingHeld }
      try Self.check(point)
      held.position = point
      held.wish = wish
      held.target = nil
      held.isPlacePending = true
      movement = held
      if !isSuperseded { placeHeldItems() }
    case .target(let path, let level):
      guard let held = movement, held.committing == nil else { throw Self.nothingHeld }
      do throws(Refusal) {
        let (next, target) = try placing(held, at: path, level: level)
        if isSuperseded {
          movement = next
          movement?.pendingTarget = (path, level)
        } else {
          move(next, to: target)
        }
      } catch {
        // What the step would have superseded stays in force.
        if !isSuperseded { placeAsLastWanted() }
        throw error
      }
    case .end:
      guard let movement, movement.committing == nil else { throw Self.nothingHeld }
      return try commit(movement, seq: seq)
    case .cancel:
      guard movement != nil, movement?.committing == nil else { throw Self.nothingHeld }
      endMovement()
    }
    isViewportDirty = true
    return [.eventResult(EventResult(eventSequence: seq))]
  }

  /// Shows the held items where the last step wants them, if that was left to a later one.
  mutating func placeAsLastWanted() {
    guard let held = movement else { return }
    if let pending = held.pendingTarget {
      movement?.pendingTarget = nil
      // If the place is no longer possible, the items stay where they are.
      try? place(held, at: pending.path, level: pending.level)
      if held.isPlacePending {
        // A position came after it.
        movement?.target = nil
        movement?.wish = held.wish
        movement?.isPlacePending = true
      }
    }
    placeHeldItems()
  }

  private static var nothingHeld: Refusal {
    Refusal(.wrongState, "No item is being moved.")
  }

  /// - Throws: FIELD_INVALID if a position is out of range.
  private static func check(_ point: Point) throws(Refusal) {
    let limit = SessionLimits.length
    guard point.x.magnitude <= limit, point.y.magnitude <= limit else {
      throw Refusal(
        .fieldInvalid,
        field: "position",
        "\(point) found; numbers of at most \(limit) are allowed"
      )
    }
  }

  // MARK: - Picking up

  /// - Throws: WRONG_STATE while items are held.
  private func checkNothingHeld() throws(Refusal) {
    guard movement == nil else { throw Refusal(.wrongState, "An item is being moved already.") }
  }

  /// The index path, among all items, of a row.
  ///
  /// - Throws: INDEX_OUT_OF_RANGE if there is none.
  private func row(
    _ path: IndexPath,
    field: @autoclosure () -> String
  ) throws(Refusal) -> IndexPath {
    guard path.item != nil, let found = contents.base.wholePath(ofRow: path) else {
      throw Refusal(.indexOutOfRange, field: field(), "there is no item at \(path)")
    }
    return found
  }

  /// The index paths, among all items, of items to pick up.
  ///
  /// - Throws: INDEX_OUT_OF_RANGE, KEY_UNKNOWN or ELEMENT_HIDDEN if one is not there, FIELD_INVALID
  ///   where there are none or too many.
  private func rows(of items: MovementItems) throws(Refusal) -> [IndexPath] {
    var found: [IndexPath] = []
    switch items {
    case .paths(let paths):
      try Self.checkCount(paths.count, most: mostHeldItems, field: "begin_items.paths")
      for (i, path) in paths.enumerated() {
        found.append(try row(path, field: "begin_items.paths[\(i)]"))
      }
    case .keys(let keys):
      try Self.checkCount(keys.count, most: mostHeldItems, field: "begin_items.keys")
      for (i, key) in keys.enumerated() {
        guard let path = contents.whole.indexPath(ofItemKey: key) else {
          throw .keyUnknown(key, field: "begin_items.keys[\(i)]")
        }
        guard contents.base.rowPath(ofItem: path) != nil else {
          throw Refusal(
            .elementHidden,
            field: "begin_items.keys[\(i)]",
            "\"\(key)\" is hidden below a collapsed item; expand its ancestors first"
          )
        }
        found.append(path)
      }
    }
    return found
  }

  /// How many items can be held: each is an operation of the batch.
  var mostHeldItems: Int { min(MovementRules.maxHeldItems, contentsLimits.operations) }

  /// - Throws: FIELD_INVALID if there are no items, or too many.
  static func checkCount(_ count: Int, most: Int, field: String) throws(Refusal) {
    guard count > 0, count <= most else {
      throw Refusal(.fieldInvalid, field: field, "\(count) items found; 1 to \(most) are allowed")
    }
  }

  /// Picks items up.
  ///
  /// - Parameter items: among all items.
  /// - Throws: MOVE_REFUSED if the rules are against it, or some would be too deep.
  private mutating func begin(_ items: [IndexPath], field: String) throws(Refusal) {
    let items = contents.whole.separateTrees(items)
    try checkRules(ofTaking: items, field: field)
    guard hold(items) else {
      throw Refusal(.moveRefused, field: field, "the items cannot lie together: some are too deep")
    }
  }

  /// - Throws: MOVE_REFUSED if items cannot be taken, or not together.
  private func checkRules(ofTaking items: [IndexPath], field: String) throws(Refusal) {
    let whole = contents.whole
    let isMixed =
      whole.hasOutlines
      && Set(items.map { whole.section(at: $0.section).outline != nil }).count > 1
    if isMixed {
      throw Refusal(.moveRefused, field: field, "items of outlines and others cannot go together")
    }
    guard let rules = movementRules?.value.rules else { return }
    try rules.checkCount(items.count, field: field)
    let kinds = Set(rules.fixedKinds.map { ExactText($0) })
    let keys = Set(rules.fixedKeys.map { ExactText($0) })
    for path in items {
      if !kinds.isEmpty, kinds.contains(ExactText(whole.cellKind(at: path))) {
        let found = "the item at \(path) is of the kind \"\(whole.cellKind(at: path))\""
        throw Refusal(.moveRefused, field: field, "\(found), which the rules do not let go")
      }
      if !keys.isEmpty, let key = whole.key(at: path), keys.contains(ExactText(key)) {
        throw Refusal(.moveRefused, field: field, "the rules do not let \"\(key)\" go")
      }
    }
  }

  // MARK: - Dropping

  /// Turns the movement into a batch.
  private mutating func commit(
    _ held: MovementState,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    if let foreign = held.foreign?.value { return try commit(held, foreign, seq: seq) }
    guard let batch = batch(of: held) else {
      endMovement()
      return [.eventResult(EventResult(eventSequence: seq, dataVersion: contents.version))]
    }
    if isShared {
      movement?.committing = seq
      return try apply(batch, seq: seq)
    }
    endMovement()
    return try apply(batch, seq: seq)
  }

  /// The batch that moves the held items; nil = they are where they were.
  private func batch(of held: MovementState) -> UpdateBatch? {
    let isInPlace = held.moves.allSatisfy { $0.from == $0.to }
    guard let level = held.level else {
      // Outside outlines, rows are items.
      return isInPlace ? nil : UpdateBatch(held.moves.map { .moveItem(from: $0.from, to: $0.to) })
    }
    if isInPlace, held.items.allSatisfy({ contents.whole.level(at: $0.item) == level }) {
      return nil
    }
    var edits: [OutlineEdit] = []
    var last: String?
    for item in held.items {
      guard let key = contents.whole.key(at: item.item) else { continue }
      if let place = last.map(OutlinePlace.after) ?? held.place {
        edits.append(.move(key: key, to: place))
      }
      last = key
    }
    return UpdateBatch(change: .outline(edits))
  }

  /// Ends the movement: all items go back to their places in the collection.
  mutating func endMovement() {
    guard suspendMovement() != nil else { return }
    // The contents may be the same as before, but the held items were shown elsewhere.
    isInvalidated = true
    isViewportDirty = true
  }
}

extension MovementRules {
  /// - Throws: MOVE_REFUSED if the rules do not let so many items be taken at once.
  func checkCount(_ count: Int, field: String) throws(Refusal) {
    guard let most = mostItems, count > most else { return }
    throw Refusal(.moveRefused, field: field, "\(count) items; the rules allow \(most) at once")
  }
}

extension CollectionContents {
  /// The cell kind of an item; "" if there is no such item.
  func cellKind(at path: IndexPath) -> String {
    guard let kind = item(at: path)?.cellKind, cellKindNames.indices.contains(kind) else {
      return ""
    }
    return cellKindNames[kind]
  }

  /// How many ancestors an item has; 0 if there is no such item.
  ///
  /// - Parameter path: among all items.
  func level(at path: IndexPath) -> Int {
    guard let item = path.item, contains(path) else { return 0 }
    return section(at: path.section).items.outlineItem(at: item).level
  }
}
