// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Everything that a renderer needs to place one element.
///
/// Two values are equal when all fields are equal, `custom` included. UIKit compares attributes in
/// the same way before it applies them.
public struct LayoutAttributes: Hashable, Sendable {
  /// The frame before `transform`, in content coordinates. The element's centre and size follow
  /// from it.
  public var frame: Rect
  /// Applied about the centre of `frame`. Default: identity.
  public var transform: Transform
  /// Opacity from 0, which is transparent, to 1, the default.
  public var alpha: Double
  /// Elements with a higher z-index lie nearer to the viewer. Default 0.
  public var zIndex: Int
  /// Whether the element is not drawn. Default false.
  public var isHidden: Bool
  /// Attributes of the layout's own beyond the other fields; nil = none.
  public var custom: [String: CustomValue]?

  /// Makes attributes from a frame; everything else has a default.
  public init(
    frame: Rect,
    transform: Transform = .identity,
    alpha: Double = 1,
    zIndex: Int = 0,
    isHidden: Bool = false,
    custom: [String: CustomValue]? = nil
  ) {
    self.frame = frame
    self.transform = transform
    self.alpha = alpha
    self.zIndex = zIndex
    self.isHidden = isHidden
    self.custom = custom
  }

  /// The axis-parallel box around the element as it is seen, transform included. The box decides
  /// whether an element belongs to a rect or lies under a point.
  public var boundingBox: Rect { transform.boundingBox(of: frame) }
}

/// The value of a custom attribute or parameter: a JSON value.
public enum CustomValue: Hashable, Sendable {
  /// JSON `null`.
  case null
  /// JSON `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// A text.
  case string(String)
  /// Values in order.
  case list([CustomValue])
  /// Values by name.
  case object([String: CustomValue])
}

/// Where a pinned element may be along an axis, for renderers that pin elements themselves.
///
/// The element starts at clamp(visible start + `inset`, `minOffset`, `maxOffset`). The visible
/// start is the edge of the whole viewport, including the part under its content insets.
public struct PinRange: Hashable, Sendable {
  /// The least start that the element may have along the axis, in content coordinates.
  public var minOffset: Double
  /// The greatest start that the element may have along the axis, in content coordinates.
  public var maxOffset: Double
  /// The distance that the element keeps from the visible start, in points.
  public var inset: Double

  /// The axis along which it is pinned. Not always that of the layout: content may grow along both.
  public var axis: ScrollAxis

  /// Makes a range from its ends and the distance from the visible start, all in points.
  public init(
    minOffset: Double,
    maxOffset: Double,
    inset: Double,
    axis: ScrollAxis = .vertical
  ) {
    self.minOffset = minOffset
    self.maxOffset = maxOffset
    self.inset = inset
    self.axis = axis
  }

  /// A frame moved to where a renderer pins it.
  public func pinning(_ frame: Rect, in viewport: Viewport) -> Rect {
    var span = axis.axisRect(frame)
    span.main = min(max(axis.main(viewport.offset) + inset, minOffset), maxOffset)
    return axis.rect(span)
  }
}
