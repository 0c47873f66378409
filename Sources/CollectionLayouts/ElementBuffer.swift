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
public struct ElementBuffer: Sendable {
  public var elements: [LayoutElement]
  public var extras: [ElementExtra]
  /// How many elements are taken; those that come after are not.
  public var limit: Int

  public init(limit: Int = .max) {
    elements = []
    extras = []
    self.limit = limit
  }

  /// Whether no more are taken. A layout that sees many elements in a rect may stop then: whoever set
  /// a limit asks for a smaller rect.
  @inlinable public var isFull: Bool { elements.count >= limit }

  /// Forgets the elements and keeps the room.
  public mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    extras.removeAll(keepingCapacity: true)
  }

  /// Appends an element without rarer attributes.
  @inlinable
  public mutating func append(_ element: LayoutElement) {
    if !isFull { elements.append(element) }
  }

  /// Appends an element with its rarer attributes.
  public mutating func append(_ element: LayoutElement, extra: ElementExtra) {
    guard !isFull else { return }
    var element = element
    element.extra = Int32(extras.count)
    extras.append(extra)
    elements.append(element)
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
