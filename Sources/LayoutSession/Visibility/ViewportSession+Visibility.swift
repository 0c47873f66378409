// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// The changes of the elements that have been seen. Call this after `nextFrame`, and send the
  /// result after its frame; call it again when `nextDeadline` says so.
  ///
  /// Elements are not checked while a frame is due or the window is full; what has changed by then
  /// is returned afterwards.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Parameter effort: how much it may cost. If a small effort is too little, nothing changes but
  ///   `needsTurn`.
  /// - Returns: nil = nothing changes, or there are no rules.
  /// - Complexity: O(live elements · rules); O(elements in sight · rules) if only time has passed
  public mutating func nextVisibility(
    at now: Duration,
    effort: FrameEffort = .unlimited
  ) -> VisibilityChange? {
    guard !sightings.isEmpty, !isClosed, !hasWork, let sent,
      let state = sightings.value,
      mayTellVisibility || link.lastFrameAt == now || state.postponed == link.window.lastSent
    else { return nil }
    let isReset = state.isResetDue
    let view = VisibilityState.View(viewport: viewport, frame: link.window.lastSent)
    if case .small = effort, state.looked != view || state.rules != options.visibility.rules,
      live.count * (1 + options.visibility.rules.count) > SessionLimits.visibilityChecks
    {
      sightings.value?.postponed = link.window.lastSent
      needsTurn = true
      return nil
    }
    if state.postponed > 0 { sightings.value?.postponed = 0 }
    var change = VisibilityChange(isReset: isReset, dataVersion: contents.version)
    let rules = options.visibility.rules
    if state.rules != rules {
      change.ended = sightings.value?.use(rules, now: now) ?? []
    }
    if sightings.value?.looked != view {
      sightings.value?.looked = view
      let seen = placesInSight(in: sent)
      let live = live
      change.ended +=
        sightings.value?.look(at: seen.places, now: now) { place in
          seen.elements[place.slot].map { live.elements[$0].element }
        } ?? []
    } else if !isReset, state.deadline.map({ $0 > now }) ?? true, change.isEmpty {
      return nil
    }
    // A reset ends all sightings that it does not name.
    if isReset { change.ended = [] }
    tellSightings(at: now, &change)
    if options.visibility.rules.isEmpty { sightings.value = nil }
    guard isReset || !change.isEmpty else { return nil }
    link.lastOutgoing = max(link.lastOutgoing, now)
    return change
  }

  /// When the next sighting is due, if the element stays in sight; nil = none waits, or frames wait
  /// for their acknowledgement.
  var visibilityDeadline: Duration? {
    guard !sightings.isEmpty, !hasWork, mayTellVisibility else { return nil }
    return sightings.value?.deadline
  }

  private var mayTellVisibility: Bool { link.window.count < options.maxInFlightFrames }

  /// Notes that the options have changed.
  mutating func visibilityOptionsChanged() {
    guard sightings.isEmpty, !options.visibility.rules.isEmpty else { return }
    sightings.value = VisibilityState(options.visibility.rules)
  }

  // MARK: - Looking

  /// The elements in sight and the rules that they fulfil, sorted, with each element's index in
  /// `live`.
  private func placesInSight(
    in sent: SentState
  ) -> (places: [VisibilityState.Place], elements: [UInt32: Int]) {
    let rules = options.visibility.rules
    let window = viewport.unobscuredRect
    let prepared = sent.prepared
    var places: [VisibilityState.Place] = []
    var elements: [UInt32: Int] = [:]
    guard !rules.isEmpty else { return (places, elements) }
    var masks = VisibilityRuleMasks(rules)
    var scrolls =
      sent.lookupOffsets == nil ? nil : SectionScrolls(sent.prepared, viewport: viewport)
    for (index, element) in live.elements.enumerated() {
      let moved =
        element.element.scrollsAcross ? scrolls?.displacement(of: element.path) : nil
      guard let sight = part(of: element.element, moved, in: window, of: prepared) else { continue }
      let mask = masks.mask(of: element.element, kinds)
      for (number, rule) in rules.enumerated()
      where mask & 1 << UInt64(number) != 0 && sight.isEnough(for: rule) {
        places.append(
          .init(slot: element.slot, frame: UInt64(clamping: element.since), rule: number)
        )
        elements[element.slot] = index
      }
    }
    places.sort()
    return (places, elements)
  }

  /// The visible part of an element; nil = nothing is visible.
  ///
  /// - Parameter moved: how far the renderer moves it with its section; nil = it does not.
  private func part(
    of element: LayoutElement,
    _ moved: Point?,
    in window: Rect,
    of prepared: any PreparedLayout
  ) -> SeenPart? {
    guard !element.isHidden, element.alpha > 0 else { return nil }
    var box = element.frame
    if element.extra >= 0, Int(element.extra) < live.extras.count {
      let extra = live.extras[Int(element.extra)]
      if viewport.rendererPins, let pin = extra.pin {
        box = pin.pinning(box, in: viewport)
      }
      box = extra.transform.boundingBox(of: box)
    }
    if let moved { box = box.offset(by: moved) }
    return SeenPart(of: box, in: window, axis: prepared.scrollAxis)
  }

  // MARK: - Telling

  /// Adds the sightings that are due to a change.
  private mutating func tellSightings(at now: Duration, _ change: inout VisibilityChange) {
    let due = sightings.value?.due(at: now) ?? []
    guard !due.isEmpty, let state = sightings.value else {
      sightings.value?.toldAll()
      return
    }
    let wanted = Set(due.map { state.sights[$0].place.slot })
    var elements: [UInt32: Int] = [:]
    for (index, element) in live.elements.enumerated() where wanted.contains(element.slot) {
      elements[element.slot] = index
    }
    let ordered = due.compactMap { sight in
      elements[state.sights[sight].place.slot].map {
        (rule: state.sights[sight].place.rule, element: $0, sight: sight)
      }
    }.sorted { ($0.rule, $0.element) < ($1.rule, $1.element) }
    for (rule, index, sight) in ordered {
      let element = live.elements[index].element
      guard let number = sightings.value?.tell(sight, element) else { continue }
      change.began.append(
        VisibilityChange.Sighting(
          number: number,
          rule: rule,
          key: ElementKey(
            category: element.category,
            kind: kinds.name(element.kind),
            indexPath: element.indexPath
          ),
          itemKey: capabilities.itemKeys ? itemKey(of: element, in: contents.effective) : "",
          slot: live.elements[index].slot,
          seenFor: now - state.sights[sight].start
        )
      )
    }
    sightings.value?.toldAll()
  }
}
