// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import LayoutGeometry

/// A change of what the client sees. Values that are nil stay as they are.
///
/// All lengths are in points, finite, and at most `SessionLimits.length` in magnitude.
public struct ViewportChange: Hashable, Sendable {
  /// The sequence number of the frame that the client had applied when it read the offset. The
  /// session adds the offset adjustments of later frames. 0 = the last frame that the client
  /// acknowledged.
  public var observedFrame: UInt64
  /// The top-left corner of the viewport in content coordinates.
  public var offset: Point?
  /// The size of the viewport, insets included; not negative.
  public var size: Size?
  /// The parts of the viewport, at its edges, that bars and the like cover; content is inset by
  /// them.
  public var insets: EdgeInsets?
  /// The scroll velocity, in points per second.
  public var velocity: Point?
  /// Offsets of orthogonally scrolling sections, by section index, along the section's own axis.
  /// The offsets of sections that are not named stay as they are.
  public var sectionOffsets: [Int: Double]
  /// Properties of the display.
  public var traits: Traits?
  /// The insets from the edges of the viewport to its safe area.
  public var safeAreaInsets: EdgeInsets?
  /// The insets from the edges of the viewport to its layout margins.
  public var layoutMargins: EdgeInsets?
  /// The greatest width of readable content, not negative; 0 = the layout margins decide.
  public var readableContentWidth: Double?

  /// Properties of the client's display.
  public struct Traits: Hashable, Sendable {
    /// Pixels per point, 0.01 to 100.
    public var displayScale: Double
    /// Whether content is laid out from right to left.
    public var isRightToLeft: Bool
    /// What the client states for the conditions of responsive layouts.
    public var stated: LayoutTraits

    /// Traits with the given values; by default one pixel per point, left to right, and nothing
    /// stated.
    public init(
      displayScale: Double = 1,
      isRightToLeft: Bool = false,
      stated: LayoutTraits = .none
    ) {
      self.displayScale = displayScale
      self.isRightToLeft = isRightToLeft
      self.stated = stated
    }

    /// What is stated, as sessions keep it; nil = nothing.
    var boxed: Boxed<LayoutTraits>? { stated == .none ? nil : Boxed(stated) }
  }

  /// A change of the given values; by default of nothing.
  public init(
    observedFrame: UInt64 = 0,
    offset: Point? = nil,
    size: Size? = nil,
    insets: EdgeInsets? = nil,
    velocity: Point? = nil,
    sectionOffsets: [Int: Double] = [:],
    traits: Traits? = nil,
    safeAreaInsets: EdgeInsets? = nil,
    layoutMargins: EdgeInsets? = nil,
    readableContentWidth: Double? = nil
  ) {
    self.observedFrame = observedFrame
    self.offset = offset
    self.size = size
    self.insets = insets
    self.velocity = velocity
    self.sectionOffsets = sectionOffsets
    self.traits = traits
    self.safeAreaInsets = safeAreaInsets
    self.layoutMargins = layoutMargins
    self.readableContentWidth = readableContentWidth
  }

  /// The reference insets of a viewport after this change, from none.
  public var references: ReferenceInsets {
    ReferenceInsets(
      safeArea: safeAreaInsets ?? .zero,
      layoutMargins: layoutMargins ?? .zero,
      readableWidth: readableContentWidth ?? 0,
      viewportWidth: size?.width ?? 0
    )
  }
}
