// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

/// What insets are measured from, by the rule: places in the viewport, edge by edge.
extension LayoutContainer {
  /// How much of the content lies outside of a reference, across an axis only.
  func margins(of reference: InsetsReference, _ axis: ScrollAxis) -> EdgeInsets {
    guard let edges = edges(of: reference) else { return .zero }
    return across(axis, edges) { edge, covered in max(edge, covered) - covered }
  }

  /// The insets of a flow's section, from the edges of the content.
  func sectionInset(
    _ inset: EdgeInsets,
    from reference: InsetsReference,
    _ axis: ScrollAxis
  ) -> EdgeInsets {
    guard let edges = edges(of: reference) else { return inset }
    let measured = across(axis, inset.adding(edges)) { max($0 - $1, 0) }
    return axis == .vertical
      ? EdgeInsets(
        top: inset.top,
        leading: measured.leading,
        bottom: inset.bottom,
        trailing: measured.trailing
      )
      : EdgeInsets(
        top: measured.top,
        leading: inset.leading,
        bottom: measured.bottom,
        trailing: inset.trailing
      )
  }

  /// From the edges of the viewport; nil = those of the content are meant.
  private func edges(of reference: InsetsReference) -> EdgeInsets? {
    switch reference {
    case .automatic, .none: nil
    case .safeArea: references.safeArea
    case .layoutMargins: references.layoutMargins
    case .readableContent: references.readableContent
    }
  }

  private func across(
    _ axis: ScrollAxis,
    _ edges: EdgeInsets,
    _ combine: (Double, Double) -> Double
  ) -> EdgeInsets {
    var result = EdgeInsets.zero
    switch axis {
    case .vertical:
      result.leading = combine(edges.leading, insets.leading)
      result.trailing = combine(edges.trailing, insets.trailing)
    case .horizontal:
      result.top = combine(edges.top, insets.top)
      result.bottom = combine(edges.bottom, insets.bottom)
    }
    return result
  }
}

extension EdgeInsets {
  func adding(_ other: EdgeInsets) -> EdgeInsets {
    EdgeInsets(
      top: top + other.top,
      leading: leading + other.leading,
      bottom: bottom + other.bottom,
      trailing: trailing + other.trailing
    )
  }
}
