// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Everything that a renderer needs to place one element.
///
/// Equal when all fields are, `custom` included, as UIKit compares them before it applies them.
public struct LayoutAttributes: Hashable, Sendable {
  /// Before `transform`, in content coordinates; centre and size follow from it.
  public var frame: Rect
  public var transform: Transform
  /// 0…1.
  public var alpha: Double
  /// Higher is nearer to the viewer.
  public var zIndex: Int
  public var isHidden: Bool
  /// What a layout adds beyond the fields above; nil = nothing.
  public var custom: [String: CustomValue]?

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

  /// The axis-parallel box of what is seen, the transform included. It decides whether an element
  /// belongs to a rect or lies under a point.
  public var boundingBox: Rect { transform.boundingBox(of: frame) }
}

/// A value of a custom attribute or parameter, as JSON knows them.
public indirect enum CustomValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case list([CustomValue])
  case object([String: CustomValue])
}

/// A pinned element's place along the scroll axis, for renderers that pin by themselves:
/// clamp(visible start + inset, minOffset, maxOffset). The visible start is the viewport's edge
/// before its content insets.
public struct PinRange: Hashable, Sendable {
  public var minOffset: Double
  public var maxOffset: Double
  public var inset: Double

  public init(minOffset: Double, maxOffset: Double, inset: Double) {
    self.minOffset = minOffset
    self.maxOffset = maxOffset
    self.inset = inset
  }
}
