// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What the insets of sections are measured from. Only the edges across the scroll axis count.
public enum InsetsReference: UInt8, Hashable, Sendable, CaseIterable {
  /// What the property with this value says.
  case automatic = 1
  /// The edges of the content: the viewport less its content insets.
  case none
  /// `ReferenceInsets.safeArea`.
  case safeArea
  /// `ReferenceInsets.layoutMargins`.
  case layoutMargins
  /// `ReferenceInsets.readableContent`.
  case readableContent
}

/// Insets of a viewport other than its content insets, from which the insets of sections may be
/// measured. All are distances from the edges of the whole viewport, in points.
public struct ReferenceInsets: Hashable, Sendable {
  // Most viewports have none, and many values hold a container: those without take one word.
  private indirect enum Storage: Hashable, Sendable {
    case none
    case insets(safeArea: EdgeInsets, layoutMargins: EdgeInsets, readableContent: EdgeInsets)
  }

  private var storage: Storage

  /// No insets: all edges are those of the viewport.
  public static let none = ReferenceInsets()

  /// Makes insets of their values.
  public init(
    safeArea: EdgeInsets = .zero,
    layoutMargins: EdgeInsets = .zero,
    readableContent: EdgeInsets = .zero
  ) {
    let isNone = safeArea == .zero && layoutMargins == .zero && readableContent == .zero
    storage =
      isNone
      ? .none
      : .insets(
        safeArea: safeArea,
        layoutMargins: layoutMargins,
        readableContent: readableContent
      )
  }

  /// Makes the insets of a viewport.
  ///
  /// - Parameter readableWidth: the greatest width of readable content, in points; 0 = as wide as
  ///   the margins leave.
  /// - Parameter width: of the whole viewport, in points.
  public init(
    safeArea: EdgeInsets,
    layoutMargins: EdgeInsets,
    readableWidth: Double,
    viewportWidth width: Double
  ) {
    var readable = layoutMargins
    let excess = readableWidth > 0 ? width - layoutMargins.horizontal - readableWidth : 0
    if excess > 0 {
      readable.leading += excess / 2
      readable.trailing += excess / 2
    }
    self.init(safeArea: safeArea, layoutMargins: layoutMargins, readableContent: readable)
  }

  /// From the edges of the viewport to its safe area.
  public var safeArea: EdgeInsets { self[.safeArea] }
  /// From the edges of the viewport to its layout margins.
  public var layoutMargins: EdgeInsets { self[.layoutMargins] }
  /// From the edges of the viewport to the area that is comfortable to read.
  public var readableContent: EdgeInsets { self[.readableContent] }

  /// Whether all insets are 0.
  public var isNone: Bool { storage == .none }

  /// The insets of a reference; zero for `.automatic` and `.none`.
  public subscript(_ reference: InsetsReference) -> EdgeInsets {
    guard case .insets(let safeArea, let layoutMargins, let readableContent) = storage else {
      return .zero
    }
    return switch reference {
    case .automatic, .none: .zero
    case .safeArea: safeArea
    case .layoutMargins: layoutMargins
    case .readableContent: readableContent
    }
  }

  /// The memory that they take beyond the value itself, in bytes: an estimate.
  public var byteCount: Int { isNone ? 0 : 16 + 3 * MemoryLayout<EdgeInsets>.stride }
}

extension LayoutContainer {
  /// How far the edges of a reference lie inside the edges of the content across an axis, in
  /// points; negative = outside. 0 for `.automatic`, `.none` and values that are not finite.
  func distances(
    to reference: InsetsReference,
    across axis: ScrollAxis
  ) -> (start: Double, end: Double) {
    guard reference != .automatic, reference != .none else { return (0, 0) }
    let edges = references[reference]
    let start = axis.crossStart(edges) - axis.crossStart(insets)
    let end = axis.crossEnd(edges) - axis.crossEnd(insets)
    return (start.isFinite ? start : 0, end.isFinite ? end : 0)
  }

  /// The insets of some references across an axis, measured from the content: what a layout depends
  /// on that measures from these references. All others are zero.
  ///
  /// - Parameter isClamped: whether edges outside of the content count as its edges.
  func references(
    _ used: Set<InsetsReference>,
    across axis: ScrollAxis,
    isClamped: Bool
  ) -> ReferenceInsets {
    if isClamped, references.isNone { return .none }
    func insets(_ reference: InsetsReference) -> EdgeInsets {
      guard used.contains(reference) else { return .zero }
      let (start, end) = distances(to: reference, across: axis)
      return axis.insets(
        crossStart: isClamped ? max(0, start) : start,
        crossEnd: isClamped ? max(0, end) : end
      )
    }
    return ReferenceInsets(
      safeArea: insets(.safeArea),
      layoutMargins: insets(.layoutMargins),
      readableContent: insets(.readableContent)
    )
  }
}

extension ScrollAxis {
  /// Insets of only the edges across the axis.
  fileprivate func insets(crossStart: Double, crossEnd: Double) -> EdgeInsets {
    self == .vertical
      ? EdgeInsets(top: 0, leading: crossStart, bottom: 0, trailing: crossEnd)
      : EdgeInsets(top: crossStart, leading: 0, bottom: crossEnd, trailing: 0)
  }
}
