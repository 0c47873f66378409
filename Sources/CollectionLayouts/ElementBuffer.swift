// SPDX-License-Identifier: Apache-2.0

/// Takes the elements that layouts find in a rect. Its owner reuses it, so that a query allocates
/// nothing.
///
/// It also bounds the query: how many elements it takes, and how many steps a layout may take to
/// find them. A step is one item, row or group that the layout looks at, whether that meets the
/// rect or not.
public struct ElementBuffer: Sendable {
  /// The elements taken so far.
  public var elements: [LayoutElement]
  /// The rarer attributes of those elements that have some: `LayoutElement.extra` is an index into
  /// it.
  public var extras: [ElementExtra]
  /// The most elements that it takes; later ones are ignored.
  public var limit: Int {
    didSet { room = isCutShort ? 0 : limit }
  }
  /// The most steps that a query may take before it is cut short; at least 0.
  public var stepLimit: Int {
    didSet { stepLimit = max(0, stepLimit) }
  }
  /// Told of the steps regularly, and asked whether to go on; nil = only `stepLimit` applies. Told
  /// of at least half of the steps of any query, so that many small queries count as well.
  public var work: LayoutWork?
  /// Whether its owner wants only cells. Layouts that find other elements separately skip these;
  /// others need not.
  public var wantsCellsOnly = false
  /// Whether `stepLimit` or `work` ended a query, so that elements may be missing.
  public private(set) var isCutShort = false

  /// The most elements that it takes at the moment: `limit`, or 0 once a query was cut short.
  @usableFromInline var room: Int
  /// The steps that are left until the next check. Between calls it lies in 0…4096.
  @usableFromInline var stepsLeft: Int
  /// The steps that the query had taken when `stepsLeft` was last set; at most `stepLimit`.
  private var stepsTaken = 0
  /// The steps between the last check and the next: twice as many each time.
  private var interval: Int
  private let narrowing: Narrowing?
  /// The limit of the buffers that `emptied` returns; nil = the limit of this one.
  private var partLimit: Int?
  /// How many times a search has taken elements out again. Indices into `elements` that are older
  /// are no longer valid.
  private(set) var narrowings = 0
  /// Expands elements after they were appended; nil = they stay as they are.
  var expansion: ElementExpansion?
  /// The steps that the query had taken when a search last took elements out again.
  private var stepsAtNarrowing = 0
  /// Changes elements after they were appended; nil = they stay as they are.
  private var staging: Staging?

  /// Enough for queries in which a layout visits each item of the largest collection once.
  public static let defaultStepLimit = 1 << 24
  /// The most steps between two checks.
  private static let stepsBetweenChecks = 4096
  /// The steps before the first check of a query within limits.
  private static let stepsBeforeFirstCheck = 64

  /// Makes an empty buffer for a query.
  ///
  /// - Parameter limit: the most elements that it takes.
  /// - Parameter stepLimit: the most steps that a query may take; a negative limit counts as 0.
  /// - Parameter work: told of the steps; once it has stopped, the query ends.
  public init(
    limit: Int = .max,
    stepLimit: Int = ElementBuffer.defaultStepLimit,
    work: LayoutWork? = nil
  ) {
    self.init(limit: limit, stepLimit: stepLimit, work: work, narrowing: nil)
  }

  private init(limit: Int, stepLimit: Int, work: LayoutWork?, narrowing: Narrowing?) {
    elements = []
    extras = []
    self.limit = limit
    self.stepLimit = max(0, stepLimit)
    self.work = work
    self.narrowing = narrowing
    room = limit
    interval = Self.firstInterval(work)
    stepsLeft = min(max(0, stepLimit), interval)
  }

  private static func firstInterval(_ work: LayoutWork?) -> Int {
    work == nil ? stepsBetweenChecks : stepsBeforeFirstCheck
  }

  /// Whether no more elements are taken. A layout with many elements in a rect may stop then,
  /// because an owner that set a limit asks again with a smaller rect.
  @inlinable public var isFull: Bool { elements.count >= room }

  /// Drops the elements, keeps the memory, and allows a new query all its steps.
  public mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    extras.removeAll(keepingCapacity: true)
    isCutShort = false
    room = limit
    stepsTaken = 0
    stepsAtNarrowing = 0
    interval = Self.firstInterval(work)
    stepsLeft = min(stepLimit, interval)
  }

  /// Counts steps that a layout takes and returns whether to go on.
  ///
  /// Call it for each row, group or leaf, before or after looking at its items. Once it has
  /// returned false, it always does, and the buffer is full.
  /// - Parameter steps: at least 0; more than 2⁴⁸ count as 2⁴⁸.
  @inlinable
  @discardableResult
  public mutating func visit(_ steps: Int) -> Bool {
    // Cannot overflow: `stepsLeft` is in 0…4096 here and after every `checkSteps()`.
    stepsLeft &-= min(max(steps, 0), 1 << 48)
    return stepsLeft > 0 || checkSteps()
  }

  /// Called when the steps until the next check are used up: adds them to `stepsTaken`, cuts the
  /// query short if it may not go on, and grants steps until the check after that otherwise.
  ///
  /// - Returns: whether to go on.
  @usableFromInline
  mutating func checkSteps() -> Bool {
    guard !isCutShort else {
      stepsLeft = 0
      return false
    }
    // The first term is what `stepsLeft` was set to at the last check. No difference overflows:
    // the limit and `stepsTaken` are not negative, and `stepsLeft` is at least −2⁴⁸.
    let taken = min(stepLimit - stepsTaken, interval) - stepsLeft
    stepsTaken = taken < stepLimit - stepsTaken ? stepsTaken + taken : stepLimit
    if stepsTaken >= stepLimit || work?.proceed(taken) == false {
      cutShort()
      return false
    }
    interval = min(2 * interval, Self.stepsBetweenChecks)
    stepsLeft = min(stepLimit - stepsTaken, interval)
    return true
  }

  /// Ends the query: nothing more is taken.
  private mutating func cutShort() {
    isCutShort = true
    room = 0
    stepsLeft = 0
  }

  /// Appends an element without rarer attributes, unless the buffer is full.
  @inlinable
  @inline(__always)
  public mutating func append(_ element: LayoutElement) {
    let count = elements.count
    guard count < room else { return }
    if element.extra < 0 {
      elements.append(element)
    } else {
      appendWithoutExtra(element)
    }
    // Cannot overflow: `count` is less than `room`.
    if count &+ 1 == room { narrow() }
  }

  /// Appends an element of another buffer, whose index into the extras would not be valid here.
  @usableFromInline
  mutating func appendWithoutExtra(_ element: LayoutElement) {
    var element = element
    element.extra = -1
    elements.append(element)
  }

  /// Appends an element with its rarer attributes, unless the buffer is full.
  public mutating func append(_ element: LayoutElement, extra: ElementExtra) {
    guard !isFull else { return }
    var element = element
    // Never clamped: 2³¹ extras would take more than 256 GiB.
    element.extra = Int32(clamping: extras.count)
    extras.append(extra)
    elements.append(element)
    if isFull { narrow() }
  }

  /// Sorts the elements into the order of answers.
  ///
  /// - Complexity: O(n) if they are in that order already, else O(n log n).
  public mutating func sort() {
    for index in elements.indices.dropFirst()
    where !LayoutElement.precedes(elements[index - 1], elements[index]) {
      elements.sort(by: LayoutElement.precedes)
      return
    }
  }
}

/// Changes the elements of a query after a layout has appended them.
protocol ElementStage: Sendable {
  /// Changes an element. Its kind may not be final if it is a cell.
  ///
  /// - Returns: whether the element is wanted.
  mutating func change(_ element: inout LayoutElement, _ extra: inout ElementExtra?) -> Bool
}

// Queries in which one layout changes the elements of another, some thousand at a time, so that
// unwanted elements take no room.
extension ElementBuffer {
  private struct Staging: Sendable {
    /// One stage, in an array: a buffer that contained an existential itself would be copied whole,
    /// with all that contains it, for each call on it.
    var stages: [any ElementStage]
    /// The elements at the beginning that have been changed.
    var settled: Int
    /// The extras at the beginning that belong to these.
    var settledExtras: Int
  }

  /// Changes the elements that are appended from now on until `endStaging`.
  mutating func beginStaging(_ stage: any ElementStage) {
    staging = Staging(stages: [stage], settled: 0, settledExtras: 0)
    makeStagingRoom()
  }

  /// Changes the remaining elements, and ends what `beginStaging` began.
  mutating func endStaging() {
    settleStaged()
    staging = nil
    room = isCutShort ? 0 : limit
  }

  /// Notes that all elements have been changed, and makes room for more.
  private mutating func makeStagingRoom() {
    let count = elements.count
    staging?.settled = count
    staging?.settledExtras = extras.count
    room = isCutShort ? 0 : count < limit ? count + min(limit - count, Self.narrowingLimit) : limit
  }

  /// Changes the elements appended since the last time, and drops unwanted ones.
  private mutating func settleStaged() {
    guard var staging = self.staging, staging.settled < elements.count else { return }
    // Taken out, so that the stage is changed in place.
    self.staging = nil
    visit(elements.count - staging.settled)
    let new = Array(extras[staging.settledExtras...])
    extras.removeSubrange(staging.settledExtras...)
    var kept = staging.settled
    for index in staging.settled ..< elements.count {
      var element = elements[index]
      let place = Int(element.extra) - staging.settledExtras
      var extra = new.indices.contains(place) ? new[place] : nil
      guard staging.stages[0].change(&element, &extra) else { continue }
      element.extra = -1
      if let extra {
        element.extra = Int32(clamping: extras.count)
        extras.append(extra)
      }
      elements[kept] = element
      kept += 1
    }
    elements.removeSubrange(kept...)
    self.staging = staging
    narrowings += 1
    if elements.count >= limit { dropUnwanted() }
  }
}

// Searches, which visit many elements and want few.
extension ElementBuffer {
  /// Removes elements that are not wanted from a full buffer.
  ///
  /// - Returns: whether the query goes on; false = it is cut short.
  public typealias Narrowing = @Sendable (inout ElementBuffer) -> Bool

  /// For a query that wants few of the elements of a rect: whenever the buffer is full, `narrow`
  /// removes those that are not wanted.
  ///
  /// Cells may not have their final kinds yet when `narrow` is called; index paths and categories
  /// are final.
  ///
  /// - Parameters:
  ///   - limit: how many elements the buffer holds at most.
  ///   - partLimit: the limit for the parts from which a layout mixes its answer, such as those of
  ///     a transition, which have to be complete.
  ///   - work: is told of the steps, and ends the query when it stops.
  ///   - narrow: has to remove at least one element, or to return false.
  public init(
    narrowingAt limit: Int,
    partLimit: Int,
    work: LayoutWork?,
    _ narrow: @escaping Narrowing
  ) {
    self.init(limit: limit, stepLimit: Self.defaultStepLimit, work: work, narrowing: narrow)
    self.partLimit = partLimit
  }

  /// Makes a buffer for a search that wants one element of a rect. Whenever the buffer is full it
  /// drops all elements but the best one so far, so that few are kept at once however many the rect
  /// has.
  ///
  /// - Parameter best: returns the index of the best element in the buffer; nil if none of them
  ///   will do.
  init(
    keepingBest best: @escaping @Sendable (borrowing ElementBuffer) -> Int?,
    stepLimit: Int,
    work: LayoutWork?
  ) {
    let narrow: Narrowing = { buffer in
      buffer.keep(only: best(buffer))
      return true
    }
    self.init(limit: Self.narrowingLimit, stepLimit: stepLimit, work: work, narrowing: narrow)
  }

  /// The most elements that a search keeps at once.
  static let narrowingLimit = 4096

  /// Whether unwanted elements are removed when it is full, so that it takes any number of them.
  public var isSearch: Bool { narrowing != nil }

  /// An empty buffer with the same limits less the steps taken so far, for a layout that combines
  /// the answers of other layouts.
  public func emptied() -> ElementBuffer {
    var part = ElementBuffer(
      limit: partLimit ?? limit,
      stepLimit: max(0, stepLimit - stepsTaken),
      work: work
    )
    part.wantsCellsOnly = wantsCellsOnly
    return part
  }

  /// Takes over that a query into a buffer of `emptied()` was cut short: then this one is as well,
  /// and full.
  public mutating func endIfCutShort(_ part: borrowing ElementBuffer) {
    guard part.isCutShort else { return }
    cutShort()
  }

  /// Called when the buffer is full: makes room if the query is a search, or if elements are
  /// changed or expanded after they were appended.
  @usableFromInline
  mutating func narrow() {
    guard expansion == nil else { return expandWaiting() }
    guard staging != nil else { return dropUnwanted() }
    settleStaged()
    makeStagingRoom()
  }

  /// Notes that elements were taken out, so that indices are no longer valid.
  mutating func noteNarrowing() { narrowings += 1 }

  /// In the buffer of a search, drops all elements but the best one.
  private mutating func dropUnwanted() {
    guard let narrowing, !isCutShort else { return }
    narrowings += 1
    // A layout that reports no steps took one for each element, or more.
    let hasReported = reportedSteps > stepsAtNarrowing
    guard hasReported || visit(elements.count), narrowing(&self) else { return cutShort() }
    stepsAtNarrowing = reportedSteps
  }

  /// The steps that the query has taken so far.
  private var reportedSteps: Int {
    stepsTaken + min(stepLimit - stepsTaken, interval) - stepsLeft
  }

  private mutating func keep(only best: Int?) {
    guard let best else {
      elements.removeAll(keepingCapacity: true)
      extras.removeAll(keepingCapacity: true)
      return
    }
    var element = elements[best]
    let extra = element.extra < 0 ? nil : extras[Int(element.extra)]
    elements.removeAll(keepingCapacity: true)
    extras.removeAll(keepingCapacity: true)
    if let extra {
      element.extra = 0
      extras.append(extra)
    }
    elements.append(element)
  }
}
