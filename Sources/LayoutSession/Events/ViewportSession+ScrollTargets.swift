// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Answers a question where to scroll: at once if the layout has been supplied, otherwise when it
  /// is.
  ///
  /// - Throws: FIELD_INVALID or INDEX_OUT_OF_RANGE if the question is invalid, WRONG_STATE if too
  ///   many questions are waiting.
  mutating func answer(
    _ request: ScrollRequest,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    try validate(request)
    if case .item(let key, _, let reveals) = request, let hidden = hiddenItem(ofKey: key) {
      try reveal(hidden, isWanted: reveals)
    }
    guard isPresentable else {
      guard waitingScrolls.count < SessionLimits.waitingScrolls else {
        throw Refusal(
          .wrongState,
          "\(waitingScrolls.count) questions wait for a layout already; no more are taken."
        )
      }
      waitingScrolls.append((seq, request))
      return []
    }
    return [
      .scrollTarget(eventSequence: seq, try target(of: request)),
      .eventResult(EventResult(eventSequence: seq)),
    ]
  }

  /// Answers the questions that wait for a layout.
  mutating func answerWaitingScrolls() -> [SessionMessage] {
    var messages: [SessionMessage] = []
    for (seq, request) in waitingScrolls {
      do throws(Refusal) {
        // A batch may have removed the section since the question was checked.
        try validate(request)
        messages.append(.scrollTarget(eventSequence: seq, try target(of: request)))
        messages.append(.eventResult(EventResult(eventSequence: seq)))
      } catch {
        messages.append(.eventResult(EventResult(eventSequence: seq, problem: error)))
      }
    }
    waitingScrolls.removeAll()
    return messages
  }

  /// - Throws: FIELD_INVALID if a number is out of range, INDEX_OUT_OF_RANGE if there is no such
  ///   section.
  private func validate(_ request: ScrollRequest) throws(Refusal) {
    let numbers: [(field: String, value: Double)]
    var section: Int?
    switch request {
    case .release(let proposed, let velocity, let asked, _):
      section = asked
      numbers = [
        ("release.proposed_offset.x", proposed?.x ?? 0),
        ("release.proposed_offset.y", proposed?.y ?? 0),
        ("release.velocity.x", velocity.x), ("release.velocity.y", velocity.y),
      ]
    case .neighbor(.point(let point), _, _):
      numbers = [("neighbor.point.x", point.x), ("neighbor.point.y", point.y)]
    case .element, .item, .neighbor: numbers = []
    }
    for (field, value) in numbers
    where !(value.magnitude <= SessionLimits.length) {
      throw Refusal(
        .fieldInvalid,
        field: field,
        "\(value) found; numbers of at most \(SessionLimits.length) in magnitude are allowed"
      )
    }
    if let section, section < 0 || section >= contents.effective.sectionCount {
      throw Refusal(.indexOutOfRange, field: "release.section", "there is no section \(section)")
    }
  }

  /// Whether the answer to a question takes more than `steps`.
  func takesMany(_ steps: Int, toFind request: ScrollRequest) -> Bool {
    let work = LayoutWork(stepLimit: steps)
    _ = try? target(of: request, within: work)
    return work.isStopped
  }

  /// The answer to a question.
  ///
  /// - Precondition: the layout has been supplied.
  /// - Throws: INDEX_OUT_OF_RANGE if there is no such element or item, ELEMENT_HIDDEN if it is
  ///   hidden, QUOTA_STEPS if the answer takes too long.
  private func target(
    of request: ScrollRequest,
    within work: LayoutWork = LayoutWork(stepLimit: SessionLimits.eventSteps)
  ) throws(Refusal) -> ScrollTarget {
    let asked: ScrollTargetRequest
    switch request {
    case .release(let proposed, let velocity, let section, let deceleration):
      asked = .release(
        proposed: proposed,
        velocity: velocity,
        section: section,
        deceleration: deceleration
      )
    case .element(let key, let position):
      asked = .element(key, position: position)
    case .item(let key, let position, _):
      let cell = try cell(ofItem: key, field: "element.item_key", offersReveal: true)
      asked = .element(cell, position: position)
    case .neighbor(let origin, let step, let position):
      asked = .neighbor(of: try start(of: origin), step: step, position: position)
    }
    guard let box = presentedBox else { throw Self.notPlaced(request) }
    let queries = LayoutQueries(
      box.value,
      shown: seen(box),
      viewport: aligned(viewport, in: box.value),
      work: work
    )
    guard let target = queries.scrollTarget(for: asked) else {
      throw work.isStopped ? Self.tooCostly : Self.notPlaced(request)
    }
    guard !work.isStopped else { throw Self.tooCostly }
    return target
  }

  private func start(of origin: ScrollRequest.Origin) throws(Refusal) -> NeighborOrigin {
    switch origin {
    case .element(let key): .element(key)
    case .item(let key):
      .element(try cell(ofItem: key, field: "neighbor.item_key", offersReveal: false))
    case .point(let point): .point(point)
    case .nowhere: .nowhere
    }
  }

  /// The cell of the item with a key.
  ///
  /// - Throws: ELEMENT_HIDDEN if it is hidden in an outline, INDEX_OUT_OF_RANGE if there is no such
  ///   item.
  private func cell(
    ofItem key: String,
    field: String,
    offersReveal: Bool
  ) throws(Refusal) -> ElementKey {
    // Not `effective`: the collection's own contents have a key index already.
    guard let path = contents.base.indexPath(ofItemKey: key),
      let item = contents.base.item(at: path)
    else {
      if hiddenItem(ofKey: key) != nil {
        throw .elementHidden(key, field: field, offersReveal: offersReveal)
      }
      throw Self.notFound(field, "\"\(key)\" found; no item has this key")
    }
    let names = contents.base.cellKindNames
    return ElementKey(
      category: .cell,
      kind: item.cellKind < names.count ? names[item.cellKind] : "",
      indexPath: previewPath(of: path)
    )
  }

  private static var tooCostly: Refusal {
    Refusal(
      .quotaSteps,
      "The answer takes more than \(SessionLimits.eventSteps) steps in this layout; ask "
        + "ComputeScrollTarget or FindNeighbor, which may take longer."
    )
  }

  /// The refusal of a question whose element the layout does not have.
  private static func notPlaced(_ request: ScrollRequest) -> Refusal {
    guard let named = request.namedElement else {
      return Refusal(.indexOutOfRange, ScrollRequest.notPlaced)
    }
    return notFound(named.field, "\(named.found); \(ScrollRequest.notPlaced)")
  }

  private static func notFound(_ field: String, _ description: String) -> Refusal {
    Refusal(.indexOutOfRange, field: field, description)
  }
}
