// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import LayoutProtocol

/// One picture of the gallery.
struct Picture {
  /// The name of its files, without an extension.
  var name: String
  var title: String
  /// A LayoutSpec in protobuf JSON.
  var layout: String
  var contents: SampleContents
  var viewport = Size(width: 640, height: 480)
  var offset = Point.zero
  var isRightToLeft = false
  /// From the edges of the viewport to its safe area and to its layout margins.
  var safeArea = EdgeInsets.zero
  var layoutMargins = EdgeInsets.zero
  /// Whether only the viewport is drawn, for layouts that depend on the offset.
  var showsViewport = false
  /// Items from which arrows lead to their neighbours above, below, on the left and on the right.
  var focusedItems: [IndexPath] = []
  /// What a viewer does before the picture is drawn; nil = the layout is drawn as it is.
  var session: PictureSession?

  func target() throws -> Wire.LayoutTarget {
    var target = Wire.LayoutTarget()
    target.inlineContents = contents.message
    target.layout = try Wire.LayoutSpec(json: Array(layout.utf8), of: "picture \(name)")
    target.viewport.contentOffset = Wire.Point(offset)
    target.viewport.size = Wire.Size(viewport)
    target.viewport.traits.displayScale = 1
    target.viewport.traits.rightToLeft = isRightToLeft
    target.viewport.safeAreaInsets = Wire.EdgeInsets(safeArea)
    target.viewport.layoutMargins = Wire.EdgeInsets(layoutMargins)
    return target
  }
}

/// The pictures of one kind of layout.
struct PictureGroup {
  var title: String
  var pictures: [Picture]

  static let all = [
    flow, list, grid, waterfall, gridLanes, table, compositional, sections, responsive, line,
    circle, carousel, stack, spatial, neighbors, effects, sessions,
  ]
}
