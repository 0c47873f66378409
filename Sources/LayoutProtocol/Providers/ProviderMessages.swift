// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
internal import CollectionModel
package import LayoutGeometry
internal import SwiftProtobuf

extension Wire {
  package typealias RemovedElements = CollectionLayout_V1_RemovedElements
  package typealias UpdatePlacementEnd = CollectionLayout_V1_UpdatePlacementEnd
  package typealias UpdatePlacementRequest = CollectionLayout_V1_UpdatePlacementRequest
  package typealias UpdatePlacementResponse = CollectionLayout_V1_UpdatePlacementResponse
  package typealias DescribeLayoutsRequest = CollectionLayout_V1_DescribeLayoutsRequest
  package typealias DescribeLayoutsResponse = CollectionLayout_V1_DescribeLayoutsResponse
  package typealias LayoutProviderService = CollectionLayout_V1_LayoutProviderService
  package typealias PlacedElements = CollectionLayout_V1_PlacedElements
  package typealias PrepareLayoutEnd = CollectionLayout_V1_PrepareLayoutEnd
  package typealias PrepareLayoutRequest = CollectionLayout_V1_PrepareLayoutRequest
  package typealias PrepareLayoutResponse = CollectionLayout_V1_PrepareLayoutResponse
  package typealias PrepareLayoutStart = CollectionLayout_V1_PrepareLayoutStart
  package typealias ProvidedContainer = CollectionLayout_V1_ProvidedContainer
  package typealias ProvidedLayout = CollectionLayout_V1_ProvidedLayout
}

extension Wire.PrepareLayoutStart {
  /// What a provider is asked to place.
  package init(layout: String, parameters: [String: CustomValue], _ context: LayoutContext) {
    self.init()
    self.layout = layout
    if !parameters.isEmpty { self.parameters = Google_Protobuf_Struct(parameters) }
    container = Wire.ProvidedContainer(context.container)
    let contents = context.contents
    if contents.cellKindNames != [""] { cellKindNames = contents.cellKindNames }
    sectionCount = UInt32(clamping: contents.sectionCount)
    itemCount = UInt64(clamping: contents.itemCount)
  }
}

extension Wire.ProvidedContainer {
  /// The message of a container.
  package init(_ container: LayoutContainer) {
    self.init()
    size = Wire.Size(container.size)
    insets = Wire.EdgeInsets(container.insets)
    displayScale = container.displayScale
    rightToLeft = container.isRightToLeft
  }
}

extension Wire.PrepareLayoutRequest {
  /// A part of contents.
  package init(_ part: ContentsParts.Part) {
    self.init()
    switch part {
    case .section(let header): section = header
    case .items(let block): items = block
    }
  }
}

extension Wire.ProvidedLayout {
  /// The axis along which content grows; nil = both, or neither.
  package var scrollAxis: ScrollAxis? {
    switch scrollDirection {
    case .vertical: .vertical
    case .horizontal: .horizontal
    case .unspecified, .UNRECOGNIZED: nil
    }
  }
}

extension PlacedColumns {
  /// The columns of a message, unchecked.
  package init(_ message: Wire.PlacedElements) {
    self.init()
    count = Int(message.count)
    categories = message.categories.map(\.rawValue)
    kinds = message.kinds
    sections = message.sections
    items = message.items
    xs = message.xs
    ys = message.ys
    widths = message.widths
    heights = message.heights
    zIndices = message.zIndices
    alphas = message.alphas
  }
}

extension PlacedColumns {
  /// The places of elements that are gone, unchecked.
  package init(_ message: Wire.RemovedElements) {
    self.init()
    count = Int(message.count)
    categories = message.categories.map(\.rawValue)
    kinds = message.kinds
    sections = message.sections
    items = message.items
  }
}

/// The end of an answer, unchecked.
struct PlacementEnd: Sendable {
  /// nil = it is missing.
  var contentSize: Size?
  var elementCount: UInt64
  var kindNames: [String]
  var cookie: [UInt8]
  var scrollAxis: ScrollAxis?

  init(_ end: Wire.PrepareLayoutEnd, scrollAxis: ScrollAxis?) {
    contentSize = end.hasContentSize ? Size(end.contentSize) : nil
    elementCount = end.elementCount
    kindNames = end.kindNames
    cookie = Array(end.cookie)
    self.scrollAxis = scrollAxis
  }

  init(_ end: Wire.UpdatePlacementEnd, scrollAxis: ScrollAxis?) {
    contentSize = end.hasContentSize ? Size(end.contentSize) : nil
    elementCount = end.elementCount
    kindNames = end.kindNames
    cookie = Array(end.cookie)
    self.scrollAxis = scrollAxis
  }
}

extension Size {
  fileprivate init(_ message: Wire.Size) { self.init(width: message.width, height: message.height) }
}

extension PlacementBuilder {
  /// Takes the end of an answer.
  ///
  /// - Parameter work: told of the elements. Once it has stopped, nobody uses the result.
  /// - Throws: what is wrong with the answer.
  consuming func finish(
    _ end: PlacementEnd,
    within work: LayoutWork
  ) throws(PlacementFault) -> Placement {
    guard let contentSize = end.contentSize else { throw .contentSizeMissing }
    return try finish(
      contentSize: contentSize,
      elementCount: end.elementCount,
      kindNames: end.kindNames,
      scrollAxis: end.scrollAxis,
      cookie: end.cookie,
      within: work
    )
  }
}
