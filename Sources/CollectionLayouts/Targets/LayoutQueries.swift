// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// Questions about a prepared layout, as one viewer sees it.
public struct LayoutQueries: Sendable {
  public let prepared: any PreparedLayout
  /// Pinned elements are where this viewport pins them, whoever does the pinning.
  public let viewport: Viewport
  let kindNames: [String]

  public init(_ prepared: any PreparedLayout, viewport: Viewport) {
    self.prepared = prepared
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
  /// - Complexity: O(log n + k log k); O(log n + k) for layouts that answer in order.
  public func elements(in rect: Rect?, limit: Int = .max) -> ElementBuffer {
    var buffer = ElementBuffer(limit: limit)
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
  public func hitTest(_ point: Point) -> Found? {
    guard point.x.isFinite, point.y.isFinite else { return nil }
    var buffer = ElementBuffer()
    // Something with an area; what merely comes near is sorted out below.
    let around = Rect(x: point.x - 0.5, y: point.y - 0.5, width: 1, height: 1)
    prepared.appendElements(in: around, viewport: viewport, to: &buffer)
    var front: LayoutElement?
    for element in buffer.elements where !element.isHidden {
      guard buffer.transform(of: element).boundingBox(of: element.frame).contains(point) else {
        continue
      }
      if let front, !Self.isBehind(front, element) { continue }
      front = element
    }
    return front.map { Found(key: key(of: $0), attributes: buffer.attributes(of: $0)) }
  }

  private static func isBehind(_ a: LayoutElement, _ b: LayoutElement) -> Bool {
    a.zIndex == b.zIndex ? LayoutElement.precedes(a, b) : a.zIndex < b.zIndex
  }
}
