// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// One element as layouts emit it: trivial, so that arrays of it copy and compare like bytes.
///
/// What few elements have (a transform, custom attributes, a pin range) stands beside it in
/// `ElementBuffer.extras`.
@frozen
public struct LayoutElement: Sendable {
  public var indexPath: IndexPath
  /// Before the transform, in content coordinates.
  public var frame: Rect
  /// 0…1.
  public var alpha: Double
  public var zIndex: Int32
  /// Index into `ElementBuffer.extras`; -1 = none.
  public var extra: Int32
  /// Index into `PreparedLayout.kindNames`.
  public var kind: UInt16
  public var category: ElementCategory
  public var isHidden: Bool

  @inlinable
  public init(
    category: ElementCategory,
    kind: UInt16,
    indexPath: IndexPath,
    frame: Rect,
    zIndex: Int32 = 0,
    alpha: Double = 1,
    isHidden: Bool = false,
    extra: Int32 = -1
  ) {
    self.indexPath = indexPath
    self.frame = frame
    self.alpha = alpha
    self.zIndex = zIndex
    self.extra = extra
    self.kind = kind
    self.category = category
    self.isHidden = isHidden
  }

  /// Category and kind, for comparisons of elements of one prepared layout.
  @inlinable public var classRank: UInt32 { UInt32(category.rawValue) << 16 | UInt32(kind) }

  /// The order of answers: section, item, category, kind.
  @inlinable
  public static func precedes(_ a: LayoutElement, _ b: LayoutElement) -> Bool {
    a.indexPath == b.indexPath ? a.classRank < b.classRank : a.indexPath < b.indexPath
  }
}

/// The rarer attributes of one element.
public struct ElementExtra: Hashable, Sendable {
  public var transform: Transform
  public var custom: [String: CustomValue]?
  public var pin: PinRange?

  public init(
    transform: Transform = .identity,
    custom: [String: CustomValue]? = nil,
    pin: PinRange? = nil
  ) {
    self.transform = transform
    self.custom = custom
    self.pin = pin
  }
}

/// Where layouts put the elements of a rect. Reused by its owner, so that a query allocates nothing.
///
/// It also bounds the query: how many elements it keeps, and how many steps a layout may take to find
/// them. A step is one item, row or group that the layout looks at, whether it meets the rect or not.
public struct ElementBuffer: Sendable {
  public var elements: [LayoutElement]
  public var extras: [ElementExtra]
  /// How many elements are taken; those that come after are not.
  public var limit: Int {
    didSet { room = isCutShort ? 0 : limit }
  }
  /// How many steps a query may take before it is cut short.
  public var stepLimit: Int
  /// Asked every few thousand steps whether to go on; nil = nobody is asked.
  public var work: LayoutWork?
  /// Whether a query ended because of `stepLimit` or `work`, so that elements may be missing.
  public private(set) var isCutShort = false

  /// How many elements it takes at the moment: 0 once a query was cut short.
  @usableFromInline var room: Int
  /// Steps until somebody has to be asked.
  @usableFromInline var stepsLeft: Int
  /// Steps of the query before `stepsLeft` was last set.
  private var stepsTaken = 0
  private let narrowing: Narrowing?
  /// How many times elements were taken out again: indices from before are not valid after that.
  private(set) var narrowings = 0

  /// For queries in which a layout looks at no more items than a collection may have.
  public static let defaultStepLimit = 1 << 24
  /// Steps between two questions to `work`.
  private static let stepsBetweenChecks = 4096

  /// - Parameter limit: how many elements it takes.
  /// - Parameter stepLimit: how many steps a query may take.
  /// - Parameter work: told of the steps; ends the query where it stops.
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
    self.stepLimit = stepLimit
    self.work = work
    self.narrowing = narrowing
    room = limit
    stepsLeft = min(stepLimit, Self.stepsBetweenChecks)
  }

  /// Whether no more are taken. A layout that sees many elements in a rect may stop then: whoever set
  /// a limit asks for a smaller rect.
  @inlinable public var isFull: Bool { elements.count >= room }

  /// Forgets the elements, keeps the room, and lets a new query take all its steps.
  public mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    extras.removeAll(keepingCapacity: true)
    isCutShort = false
    room = limit
    stepsTaken = 0
    stepsLeft = min(stepLimit, Self.stepsBetweenChecks)
  }

  /// Counts steps that a layout takes, and says whether to go on.
  ///
  /// Call it for each row, group or leaf, before or after looking at its items. Once it has returned
  /// false the buffer is full.
  @inlinable
  @discardableResult
  public mutating func visit(_ steps: Int) -> Bool {
    stepsLeft &-= steps
    return stepsLeft > 0 || checkSteps()
  }

  @usableFromInline
  mutating func checkSteps() -> Bool {
    guard !isCutShort else { return false }
    // What was set last, less what is left of it, has been taken since then.
    let taken = min(stepLimit - stepsTaken, Self.stepsBetweenChecks) - stepsLeft
    stepsTaken = taken < stepLimit - stepsTaken ? stepsTaken + taken : stepLimit
    if stepsTaken >= stepLimit || work?.proceed(taken) == false {
      isCutShort = true
      room = 0
      stepsLeft = 0
      return false
    }
    stepsLeft = min(stepLimit - stepsTaken, Self.stepsBetweenChecks)
    return true
  }

  /// Appends an element without rarer attributes.
  @inlinable
  public mutating func append(_ element: LayoutElement) {
    guard !isFull else { return }
    elements.append(element)
    if isFull { narrow() }
  }

  /// Appends an element with its rarer attributes.
  public mutating func append(_ element: LayoutElement, extra: ElementExtra) {
    guard !isFull else { return }
    var element = element
    element.extra = Int32(clamping: extras.count)
    extras.append(extra)
    elements.append(element)
    if isFull { narrow() }
  }

  /// Appends an element from its full attributes; the comfortable way for layouts of one's own.
  public mutating func append(
    _ attributes: LayoutAttributes,
    category: ElementCategory,
    kind: UInt16,
    indexPath: IndexPath,
    pin: PinRange? = nil
  ) {
    let element = LayoutElement(
      category: category,
      kind: kind,
      indexPath: indexPath,
      frame: attributes.frame,
      zIndex: Int32(clamping: attributes.zIndex),
      alpha: attributes.alpha,
      isHidden: attributes.isHidden
    )
    if attributes.transform == .identity, attributes.custom == nil, pin == nil {
      append(element)
    } else {
      append(
        element,
        extra: ElementExtra(
          transform: attributes.transform,
          custom: attributes.custom,
          pin: pin
        )
      )
    }
  }

  /// `identity` where it has none.
  public func transform(of element: LayoutElement) -> Transform {
    element.extra < 0 ? .identity : extras[Int(element.extra)].transform
  }

  /// Where it may be pinned; nil = it is not, or not by the renderer.
  public func pin(of element: LayoutElement) -> PinRange? {
    element.extra < 0 ? nil : extras[Int(element.extra)].pin
  }

  /// All attributes of an element of this buffer.
  public func attributes(of element: LayoutElement) -> LayoutAttributes {
    let extra = element.extra < 0 ? nil : extras[Int(element.extra)]
    return LayoutAttributes(
      frame: element.frame,
      transform: extra?.transform ?? .identity,
      alpha: element.alpha,
      zIndex: Int(element.zIndex),
      isHidden: element.isHidden,
      custom: extra?.custom
    )
  }

  /// Sorts into the order of answers; free where the elements are in it already.
  public mutating func sort() {
    for index in elements.indices.dropFirst()
    where !LayoutElement.precedes(elements[index - 1], elements[index]) {
      elements.sort(by: LayoutElement.precedes)
      return
    }
  }
}

// Searches look at many elements and want one.
extension ElementBuffer {
  /// Picks the best of the buffer's elements by its index; nil = none of them will do.
  typealias Narrowing = @Sendable (borrowing ElementBuffer) -> Int?

  /// For a search that wants one element of a rect, however many there are: whenever it is full it
  /// keeps only the best one so far.
  ///
  /// - Parameter best: of the elements in the buffer.
  init(keepingBest best: @escaping Narrowing, stepLimit: Int, work: LayoutWork?) {
    self.init(limit: Self.narrowingLimit, stepLimit: stepLimit, work: work, narrowing: best)
  }

  /// Elements that a search keeps at once.
  static let narrowingLimit = 4096

  /// An empty buffer with the same limits, for a layout that puts the answers of others together.
  public func emptied() -> ElementBuffer {
    ElementBuffer(limit: limit, stepLimit: max(0, stepLimit - stepsTaken), work: work)
  }

  @usableFromInline
  mutating func narrow() {
    guard let narrowing, !isCutShort else { return }
    narrowings += 1
    guard let best = narrowing(self) else {
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
