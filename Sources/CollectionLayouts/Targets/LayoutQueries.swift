// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// Queries about a prepared layout as one viewer sees it.
public struct LayoutQueries: Sendable {
  /// The layout that is queried.
  public let prepared: any PreparedLayout
  /// The same as it is seen, with scroll effects: elements and hit tests are of this one, scroll
  /// targets are not.
  public let shown: any PreparedLayout
  /// The viewer's viewport. Pinned elements are where this viewport pins them, even if the renderer
  /// moves them itself.
  public let viewport: Viewport
  /// Told of the steps of every query, and asked whether to go on; nil = queries are not
  /// interrupted.
  public let work: LayoutWork?

  /// Makes queries about a layout.
  ///
  /// - Parameter shown: the layout with scroll effects, as `PreparedLayout.showing(_:)` gives it;
  ///   nil = it has none.
  /// - Parameter work: told of the steps of every query. Once it has stopped, answers must not be
  ///   used; `work.stop` gives the reason.
  public init(
    _ prepared: any PreparedLayout,
    shown: (any PreparedLayout)? = nil,
    viewport: Viewport,
    work: LayoutWork? = nil
  ) {
    self.prepared = prepared
    self.shown = shown ?? prepared
    self.work = work
    var viewport = viewport
    viewport.rendererPins = false
    self.viewport = viewport
  }

  /// An element's key with its attributes.
  public struct Found: Hashable, Sendable {
    /// Identifies the element.
    public var key: ElementKey
    /// The element's attributes for the viewport.
    public var attributes: LayoutAttributes

    /// Makes a result from a key and attributes.
    public init(key: ElementKey, attributes: LayoutAttributes) {
      self.key = key
      self.attributes = attributes
    }
  }

  /// Every element whose box meets a rect, in order of section, item, category and kind.
  ///
  /// - Parameter rect: nil = everything.
  /// - Parameter limit: the most elements to return. If there are more, any of them may be left
  ///   out.
  /// - Returns: a buffer that also says whether the query was cut short.
  /// - Complexity: O(log n + k log k) for k elements; O(log n + k) for layouts that answer in
  ///   order.
  public func elements(in rect: Rect?, limit: Int = .max) -> ElementBuffer {
    var buffer = ElementBuffer(limit: limit, work: work)
    shown.appendElements(in: rect ?? .everywhere, viewport: viewport, to: &buffer)
    buffer.sort()
    return buffer
  }

  /// The key of an element that this layout has emitted.
  public func key(of element: LayoutElement) -> ElementKey {
    ElementKey(
      category: element.category,
      kind: prepared.kindName(Int(element.kind)) ?? "",
      indexPath: element.indexPath
    )
  }

  /// The attributes of one element, wherever it is; nil if no such element exists.
  public func attributes(of key: ElementKey) -> LayoutAttributes? {
    shown.attributes(of: key, viewport: viewport, work: work ?? .unlimited)
  }

  /// The front-most element whose box, transform included, contains a point: the one with the
  /// highest z-index, and of several the last in the order of answers. Hidden elements are skipped.
  /// nil if there is no such element, or if the point is not finite.
  ///
  /// A box contains its upper and left edges but not its lower and right ones.
  ///
  /// - Complexity: that of a query around the point. However many elements lie there, only a few
  ///   are kept at once.
  public func hitTest(_ point: Point) -> Found? {
    guard point.x.isFinite, point.y.isFinite else { return nil }
    var buffer = ElementBuffer(
      keepingBest: { Self.front(of: $0, at: point) },
      stepLimit: ElementBuffer.defaultStepLimit,
      work: work
    )
    // A query needs a rect with an area. Elements that only come near the point are dropped below.
    let around = Rect(x: point.x - 0.5, y: point.y - 0.5, width: 1, height: 1)
    shown.appendElements(in: around, viewport: viewport, to: &buffer)
    return Self.front(of: buffer, at: point).map {
      let element = buffer.elements[$0]
      return Found(key: key(of: element), attributes: buffer.attributes(of: element))
    }
  }

  /// The item whose cell contains a point; nil if there is none, or if the point is not finite.
  ///
  /// An item in `preferred` comes first; otherwise the one with the highest z-index, and of several
  /// the first. Hidden cells count.
  ///
  /// - Complexity: that of a hit test.
  public func cell(at point: Point, preferring preferred: ClosedRange<IndexPath>?) -> IndexPath? {
    guard point.x.isFinite, point.y.isFinite else { return nil }
    @Sendable func best(of buffer: borrowing ElementBuffer) -> Int? {
      var best: Int?
      for index in buffer.elements.indices {
        let element = buffer.elements[index]
        guard element.category == .cell,
          buffer.transform(of: element).boundingBox(of: element.frame).contains(point)
        else { continue }
        if preferred?.contains(element.indexPath) == true { return index }
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
    buffer.wantsCellsOnly = true
    let around = Rect(center: point, size: Size(width: 0.5, height: 0.5))
    shown.appendElements(in: around, viewport: viewport, to: &buffer)
    return best(of: buffer).map { buffer.elements[$0].indexPath }
  }

  private static func isBefore(_ a: LayoutElement, _ b: LayoutElement) -> Bool {
    a.zIndex == b.zIndex ? LayoutElement.precedes(a, b) : a.zIndex > b.zIndex
  }

  /// The index of the front-most element that contains a point.
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
