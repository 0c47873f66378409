// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// One element as layouts emit it. The type is trivial, so that arrays of it copy and compare like
/// bytes.
///
/// Attributes that few elements have (a transform, custom attributes, a pin range) are kept beside
/// it, in `ElementBuffer.extras`.
@frozen
public struct LayoutElement: Sendable {
  /// The index path of the item for a cell. Other elements have the path of a section or of an item
  /// in it.
  public var indexPath: IndexPath
  /// The frame before the transform, in content coordinates.
  public var frame: Rect
  /// Opacity, 0…1.
  public var alpha: Double
  /// Elements with a higher z-index lie nearer to the viewer.
  public var zIndex: Int32
  /// Index into `ElementBuffer.extras`; −1 = the element has no rarer attributes. The buffer sets
  /// it when the element is appended.
  public var extra: Int32
  /// Index into `PreparedLayout.kindNames`.
  public var kind: UInt16
  /// The category in the low two bits, then a bit for hidden and one for `scrollsAcross`. One byte,
  /// so that the place in an outline costs sessions no memory.
  @usableFromInline var flags: UInt8
  /// The place of a cell's item in its outline; filled in by sessions, no part of layouts' answers.
  public var outline: OutlineMark

  @usableFromInline static let hiddenBit: UInt8 = 4
  @usableFromInline static let acrossBit: UInt8 = 8

  /// What the element shows.
  @inlinable public var category: ElementCategory {
    get {
      switch flags & 3 {
      case ElementCategory.cell.rawValue: .cell
      case ElementCategory.supplementary.rawValue: .supplementary
      default: .decoration
      }
    }
    set { flags = flags & ~3 | newValue.rawValue }
  }

  /// Whether the element is not drawn.
  @inlinable public var isHidden: Bool {
    get { flags & Self.hiddenBit != 0 }
    set { flags = newValue ? flags | Self.hiddenBit : flags & ~Self.hiddenBit }
  }

  /// Whether effects that name no axis follow the axis across that of the content, for renderers
  /// that apply effects; filled in by sessions, no part of layouts' answers.
  @inlinable public var scrollsAcross: Bool {
    get { flags & Self.acrossBit != 0 }
    set { flags = newValue ? flags | Self.acrossBit : flags & ~Self.acrossBit }
  }

  /// Makes an element. It is opaque, visible and has no rarer attributes unless told otherwise.
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
    flags = category.rawValue | (isHidden ? Self.hiddenBit : 0)
    outline = .none
  }

  /// Category and kind as one number, to compare elements of one prepared layout.
  @inlinable public var classRank: UInt32 { UInt32(flags & 3) << 16 | UInt32(kind) }

  /// The `classRank` of elements of a category and kind.
  static func classRank(_ category: ElementCategory, kind: UInt16) -> UInt32 {
    UInt32(category.rawValue) << 16 | UInt32(kind)
  }

  /// Whether `a` comes before `b` in answers, which are ordered by section, item, category and
  /// kind.
  @inlinable
  public static func precedes(_ a: LayoutElement, _ b: LayoutElement) -> Bool {
    a.indexPath == b.indexPath ? a.classRank < b.classRank : a.indexPath < b.indexPath
  }
}

/// The rarer attributes of one element.
public struct ElementExtra: Hashable, Sendable {
  /// Applied about the centre of the element's frame.
  public var transform: Transform
  /// Attributes of the layout's own; nil = none.
  public var custom: [String: CustomValue]?
  /// The range in which the renderer may pin the element; nil = the renderer does not move it.
  public var pin: PinRange?

  /// Makes rarer attributes; each has a default that changes nothing.
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
