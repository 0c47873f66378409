// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// An item that the user holds.
struct MovementState: Sendable {
  /// Its place in the collection.
  var origin: IndexPath
  /// Its place in the session's preview.
  var path: IndexPath
  /// Of its centre, in content coordinates; nil = not moved yet.
  var position: Point?
  /// Whether the place is to be worked out once the layout is there.
  var isPlacePending = false
  /// The event whose commit is awaited.
  var committing: UInt64?
}

extension ViewportSession {
  mutating func apply(
    _ step: InteractiveMovement,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    switch step {
    case .begin(let path):
      guard movement == nil else {
        throw Refusal(.wrongState, "An item is being moved already.")
      }
      guard path.item != nil, contents.base.contains(path) else {
        throw Refusal(.indexOutOfRange, field: "begin", "there is no item at \(path)")
      }
      movement = MovementState(origin: path, path: path)
    case .position(let point):
      guard movement != nil, movement?.committing == nil else { throw Self.nothingHeld }
      let limit = SessionLimits.length
      guard point.x.magnitude <= limit, point.y.magnitude <= limit else {
        throw Refusal(
          .fieldInvalid,
          field: "position",
          "\(point) where numbers of at most \(limit) are allowed"
        )
      }
      movement?.position = point
      movement?.isPlacePending = true
      placeHeldItem()
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

  private static var nothingHeld: Refusal {
    Refusal(.wrongState, "No item is being moved.")
  }

  private mutating func commit(
    _ held: MovementState,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    guard held.path != held.origin else {
      endMovement()
      return [.eventResult(EventResult(eventSequence: seq, dataVersion: contents.version))]
    }
    let batch = UpdateBatch([.moveItem(from: held.origin, to: held.path)])
    if isShared {
      movement?.committing = seq
      return try apply(batch, seq: seq)
    }
    endMovement()
    return try apply(batch, seq: seq)
  }

  /// Lets the item go and everything else back to where it was.
  mutating func endMovement() {
    guard suspendMovement() != nil else { return }
    // Even where nothing made room, the held item goes back.
    isInvalidated = true
    isViewportDirty = true
  }

  // MARK: - Under batches

  /// Takes the preview back; what was held is returned and no longer held.
  mutating func suspendMovement() -> MovementState? {
    guard let held = movement else { return nil }
    movement = nil
    if held.path != held.origin { preview(from: held.path, to: held.origin) }
    contents.rejoin()
    return held
  }

  /// Holds the item again after a batch of somebody else, where it survived. A move that waits for
  /// its commit is over: it is, or will be, in the batches.
  mutating func resumeMovement(_ held: MovementState, after change: ContentsChange) {
    guard held.committing == nil, let path = change.newIndexPath(ofOld: held.origin) else { return }
    movement = MovementState(
      origin: path,
      path: path,
      position: held.position,
      isPlacePending: held.position != nil
    )
  }

  // MARK: - Preview

  /// Moves the held item to the place of the one that lies under its centre.
  mutating func placeHeldItem() {
    guard let held = movement, held.isPlacePending, let position = held.position, isPrepared,
      let prepared
    else { return }
    movement?.isPlacePending = false
    let queries = LayoutQueries(prepared.layout, viewport: viewport)
    guard let place = queries.cell(at: position, preferring: held.path), place != held.path
    else { return }
    preview(from: held.path, to: place)
    movement?.path = place
  }

  private mutating func preview(from: IndexPath, to: IndexPath) {
    // Cannot be refused: both places were just seen in the contents.
    guard
      let change = try? contents.effective.applying(
        UpdateBatch([.moveItem(from: from, to: to)]),
        limits: contentsLimits
      )
    else { return }
    diverge(by: change)
  }

  /// Puts the held item where the finger is, in front of the others.
  mutating func showHeldElement(in layout: any PreparedLayout) {
    guard let held = movement, let position = held.position else { return }
    let highest = scratch.buffer.elements.reduce(Int32(0)) { max($0, $1.zIndex) }
    func lift(_ element: inout LayoutElement) {
      element.frame = Rect(center: position, size: element.frame.size)
      element.zIndex = highest == .max ? highest : highest + 1
    }
    if let index = scratch.buffer.elements.firstIndex(where: {
      $0.category == .cell && $0.indexPath == held.path
    }) {
      lift(&scratch.buffer.elements[index])
      return
    }
    guard let item = contents.effective.item(at: held.path) else { return }
    let names = contents.effective.cellKindNames
    let name = item.cellKind < names.count ? names[item.cellKind] : ""
    let key = ElementKey(category: .cell, kind: name, indexPath: held.path)
    guard let attributes = layout.attributes(of: key, viewport: viewport) else { return }
    scratch.buffer.append(
      attributes,
      category: .cell,
      kind: kinds.number(of: name),
      indexPath: held.path
    )
    lift(&scratch.buffer.elements[scratch.buffer.elements.count - 1])
  }
}
