// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// Questions about a prepared layout, as one viewer sees it.
public struct LayoutQueries: Sendable {
  public let prepared: any PreparedLayout
  /// Pinned elements are where this viewport pins them, whoever does the pinning.
  public let viewport: Viewport
  /// Ends queries that nobody waits for; nil = they take their time.
  public let work: LayoutWork?
  let kindNames: [String]

  /// - Parameter work: told of the steps of every query. Once it has stopped, answers are not to be
  ///   used: ask it for the reason.
  public init(_ prepared: any PreparedLayout, viewport: Viewport, work: LayoutWork? = nil) {
    self.prepared = prepared
    self.work = work
    var viewport = viewport
    viewport.rendererPins = false
    self.viewport = viewport
    kindNames = prepared.kindNames
  }

  /// An element by name, with its attributes.
  public struct Found: Hashable, Sendable {
    public var key: ElementKey
    public var attributes: LayoutAttributes

    public init(key: ElementKey, attributes: LayoutAttributes) {
      self.key = key
      self.attributes = attributes
    }
  }

  /// Every element whose box meets a rect, in order of section, item, category and kind.
  ///
  /// - Parameter rect: nil = everything.
  /// - Parameter limit: of so many elements; where there are more, which of them is left open.
  /// - Returns: a buffer that says whether the query was cut short.
  /// - Complexity: O(log n + k log k); O(log n + k) for layouts that answer in order.
  public func elements(in rect: Rect?, limit: Int = .max) -> ElementBuffer {
    var buffer = ElementBuffer(limit: limit, work: work)
    prepared.appendElements(in: rect ?? .everywhere, viewport: viewport, to: &buffer)
    buffer.sort()
    return buffer
  }

  /// The element's name.
  public func key(of element: LayoutElement) -> ElementKey {
    let kind = Int(element.kind)
    return ElementKey(
      category: element.category,
      kind: kind < kindNames.count ? kindNames[kind] : "",
      indexPath: element.indexPath
    )
  }

  /// The attributes of one element, wherever it is; nil where no such element exists.
  public func attributes(of key: ElementKey) -> LayoutAttributes? {
    prepared.attributes(of: key, viewport: viewport)
  }

  /// The front-most element whose box, after its transform, holds a point: the one with the highest
  /// z-index, of several the last in the order of answers. Hidden elements are looked through.
  ///
  /// A box holds its upper and left edges and not its lower and right ones.
  ///
  /// - Complexity: of a query about the point. However many elements lie there, few are kept at once.
  public func hitTest(_ point: Point) -> Found? {
    guard point.x.isFinite, point.y.isFinite else { return nil }
    var buffer = ElementBuffer(
      keepingBest: { Self.front(of: $0, at: point) },
      stepLimit: ElementBuffer.defaultStepLimit,
      work: work
    )
    // Something with an area; what merely comes near is sorted out below.
    let around = Rect(x: point.x - 0.5, y: point.y - 0.5, width: 1, height: 1)
    prepared.appendElements(in: around, viewport: viewport, to: &buffer)
    return Self.front(of: buffer, at: point).map {
      let element = buffer.elements[$0]
      return Found(key: key(of: element), attributes: buffer.attributes(of: element))
    }
  }

  /// The item whose cell holds a point: the preferred one if its cell does, else the one with the
  /// highest z-index, of several the first. Hidden cells count.
  ///
  /// - Complexity: as of a hit test.
  public func cell(at point: Point, preferring preferred: IndexPath) -> IndexPath? {
    guard point.x.isFinite, point.y.isFinite else { return nil }
    @Sendable func best(of buffer: borrowing ElementBuffer) -> Int? {
      var best: Int?
      for index in buffer.elements.indices {
        let element = buffer.elements[index]
        guard element.category == .cell,
          buffer.transform(of: element).boundingBox(of: element.frame).contains(point)
        else { continue }
        if element.indexPath == preferred { return index }
        if let best, !Self.isBefore(element, buffer.elements[best]) { continue }
        best = index
      }
      return best
    }
    var buffer = ElementBuffer(
      keepingBest: best,
      stepLimit: ElementBuffer.defaultStepLimit,
      work: work
    )
    let around = Rect(center: point, size: Size(width: 0.5, height: 0.5))
    prepared.appendElements(in: around, viewport: viewport, to: &buffer)
    return best(of: buffer).map { buffer.elements[$0].indexPath }
  }

  private static func isBefore(_ a: LayoutElement, _ b: LayoutElement) -> Bool {
    a.zIndex == b.zIndex ? LayoutElement.precedes(a, b) : a.zIndex > b.zIndex
  }

  /// The index of the front-most element that holds a point.
  private static func front(of buffer: borrowing ElementBuffer, at point: Point) -> Int? {
    var front: Int?
    for index in buffer.elements.indices {
      let element = buffer.elements[index]
      guard !element.isHidden,
        buffer.transform(of: element).boundingBox(of: element.frame).contains(point)
      else { continue }
      if let front, !isBehind(buffer.elements[front], element) { continue }
      front = index
    }
    return front
  }

  private static func isBehind(_ a: LayoutElement, _ b: LayoutElement) -> Bool {
    a.zIndex == b.zIndex ? LayoutElement.precedes(a, b) : a.zIndex < b.zIndex
  }
}
