// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

// The attributes of elements, and which of them the buffer keeps beside the elements.
extension ElementBuffer {
  /// Appends an element from its full attributes, unless the buffer is full. It is slower than the
  /// other ways, and the most convenient one for custom layouts.
  ///
  /// - Parameter kind: index into `PreparedLayout.kindNames`.
  /// - Parameter pin: the range in which the renderer may pin the element; nil = it does not move
  ///   it.
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

  /// The transform of an element; identity if it has none.
  ///
  /// - Precondition: `element` is one of `elements`, so that its `extra` is −1 or an index into
  ///   `extras`.
  public func transform(of element: LayoutElement) -> Transform {
    element.extra < 0 ? .identity : extras[Int(element.extra)].transform
  }

  /// The range in which the renderer may pin an element; nil if the renderer does not move it.
  ///
  /// - Precondition: `element` is one of `elements`.
  public func pin(of element: LayoutElement) -> PinRange? {
    element.extra < 0 ? nil : extras[Int(element.extra)].pin
  }

  /// All attributes of an element.
  ///
  /// - Precondition: `element` is one of `elements`.
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

  /// Releases the rarer attributes of elements that were removed.
  public mutating func dropUnusedExtras() {
    guard !extras.isEmpty else { return }
    var kept: [ElementExtra] = []
    for index in elements.indices where elements[index].extra >= 0 {
      kept.append(extras[Int(elements[index].extra)])
      elements[index].extra = Int32(clamping: kept.count - 1)
    }
    extras = kept
  }
}
