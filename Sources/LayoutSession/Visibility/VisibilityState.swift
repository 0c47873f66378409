// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// Which of the client's elements are in sight, and since when.
struct VisibilityState: Sendable {
  /// An element, and a rule that it fulfils. The element is identified by its slot and by the frame
  /// in which it got the slot, so it need not be followed through batches.
  struct Place: Comparable, Sendable {
    var slot: UInt32
    var frame: UInt64
    var rule: Int

    static func < (a: Place, b: Place) -> Bool {
      if a.slot != b.slot { return a.slot < b.slot }
      return a.rule == b.rule ? a.frame < b.frame : a.rule < b.rule
    }
  }

  enum Phase: Equatable, Sendable {
    /// It has not been in sight for long enough.
    case waiting
    /// The client has been told, with this number.
    case told(UInt64)
    /// The rule tells each element only once, and has told this one.
    case silent
  }

  struct Sight: Sendable {
    var place: Place
    /// Since when it is in sight.
    var start: Duration
    var phase = Phase.waiting
  }

  /// The state that the sights were found for.
  struct View: Equatable {
    var viewport: Viewport
    var frame: UInt64
  }

  /// The rules that elements are checked against.
  private(set) var rules: [VisibilityRule]
  /// Sorted by place.
  private(set) var sights: [Sight] = []
  /// The elements told by rules which tell each element only once.
  private var remembered = RememberedElements()
  private var lastNumber: UInt64 = 0
  /// The state of the last check; nil = the elements have to be checked.
  var looked: View?
  /// The frame after which the check was left for the session's turn; 0 = none.
  var postponed: UInt64 = 0
  /// Whether the client has been told nothing on its stream.
  var isResetDue = true
  /// When the next waiting sight is due, if it lasts; nil = none waits.
  private(set) var deadline: Duration?

  init(_ rules: [VisibilityRule]) { self.rules = rules }

  /// Roughly the memory in use, in bytes.
  var byteCount: Int {
    MemoryLayout<VisibilityState>.size + 64 + sights.capacity * MemoryLayout<Sight>.stride
      + remembered.byteCount
      + VisibilityOptions(rules: rules).byteCount
  }

  // MARK: - Identity

  /// Updates the index paths of the remembered elements after a change of the contents.
  mutating func follow(_ change: ContentsChange) { remembered.follow(change) }

  /// Treats all items and sections as deleted.
  mutating func loseAll() { remembered.forgetAll() }

  /// Begins a new stream, on which the client has been told nothing.
  ///
  /// - Parameter pause: the time that does not count.
  mutating func restart(after pause: Duration, at now: Duration) {
    for index in sights.indices {
      sights[index].start = min(sights[index].start + pause, now)
    }
    looked = nil
    isResetDue = true
    updateDeadline()
  }

  // MARK: - Looking

  /// Updates what is in sight.
  ///
  /// - Parameter places: sorted.
  /// - Parameter element: the live element of a place.
  /// - Returns: the sightings that are over.
  mutating func look(
    at places: [Place],
    now: Duration,
    element: (Place) -> LayoutElement?
  ) -> [VisibilityChange.End] {
    var next: [Sight] = []
    next.reserveCapacity(places.count)
    var ended: [VisibilityChange.End] = []
    var old = 0
    for place in places {
      while old < sights.count, sights[old].place < place {
        end(sights[old], now, &ended)
        old += 1
      }
      if old < sights.count, sights[old].place == place {
        next.append(sights[old])
        old += 1
      } else {
        var sight = Sight(place: place, start: now)
        if rules[place.rule].isOnce, let element = element(place), isRemembered(element, place) {
          sight.phase = .silent
        }
        next.append(sight)
      }
    }
    for sight in sights[old...] { end(sight, now, &ended) }
    sights = next
    return ended
  }

  private func end(_ sight: Sight, _ now: Duration, _ ended: inout [VisibilityChange.End]) {
    guard case .told(let number) = sight.phase else { return }
    ended.append(.init(number: number, seenFor: now - sight.start))
  }

  private func isRemembered(_ element: LayoutElement, _ place: Place) -> Bool {
    remembered.contains(.init(element, rule: place.rule))
  }

  /// Changes the rules.
  ///
  /// - Returns: the sightings that this ends.
  mutating func use(_ rules: [VisibilityRule], now: Duration) -> [VisibilityChange.End] {
    let ended = look(at: [], now: now) { _ in nil }
    self.rules = rules
    remembered.forgetAll()
    looked = nil
    return ended
  }

  // MARK: - Telling

  /// The indices of the sights to tell the client of now: those that have lasted long enough, and
  /// on a new stream also those told before.
  func due(at now: Duration) -> [Int] {
    sights.indices.filter { index in
      let sight = sights[index]
      switch sight.phase {
      case .waiting: return now - sight.start >= rules[sight.place.rule].duration
      case .told: return isResetDue
      case .silent: return false
      }
    }
  }

  /// Notes that the client is told of a sight.
  ///
  /// - Parameter index: one of `due(at:)`.
  /// - Returns: the number of the sighting.
  mutating func tell(_ index: Int, _ element: LayoutElement) -> UInt64 {
    if case .told(let number) = sights[index].phase { return number }
    lastNumber &+= 1
    sights[index].phase = .told(lastNumber)
    let rule = sights[index].place.rule
    if rules[rule].isOnce { remembered.insert(.init(element, rule: rule)) }
    return lastNumber
  }

  /// Notes that all that is due has been told.
  mutating func toldAll() {
    isResetDue = false
    updateDeadline()
  }

  private mutating func updateDeadline() {
    deadline = nil
    for sight in sights where sight.phase == .waiting {
      let moment = sight.start + rules[sight.place.rule].duration
      deadline = min(deadline ?? moment, moment)
    }
  }
}

extension RememberedElements.Entry {
  fileprivate init(_ element: LayoutElement, rule: Int) {
    self.init(path: element.indexPath, classRank: element.classRank, rule: rule)
  }
}
