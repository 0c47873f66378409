// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutGeometry

/// The insets of a client's viewport beside its content insets, as the client sent them.
struct ViewportMargins: Hashable, Sendable {
  private var safeArea = EdgeInsets.zero
  private var layoutMargins = EdgeInsets.zero
  /// 0 = as wide as the margins leave.
  private var readableWidth = 0.0

  /// These insets after a change; nil = the change does not name them.
  func changed(by change: ViewportChange) -> ViewportMargins? {
    guard
      change.safeAreaInsets != nil || change.layoutMargins != nil
        || change.readableContentWidth != nil
    else { return nil }
    var margins = self
    margins.safeArea = change.safeAreaInsets ?? safeArea
    margins.layoutMargins = change.layoutMargins ?? layoutMargins
    margins.readableWidth = change.readableContentWidth ?? readableWidth
    return margins
  }

  /// What layouts read of them.
  ///
  /// - Parameter width: of the whole viewport, in points.
  func references(inWidth width: Double) -> ReferenceInsets {
    ReferenceInsets(
      safeArea: safeArea,
      layoutMargins: layoutMargins,
      readableWidth: readableWidth,
      viewportWidth: width
    )
  }
}
