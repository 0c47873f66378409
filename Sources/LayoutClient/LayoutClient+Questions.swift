// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import GRPCCore
public import LayoutGeometry
internal import LayoutProtocol
public import LayoutSession
internal import SwiftProtobuf

/// The result of checking a layout: errors and warnings.
public struct LayoutReview: Hashable, Sendable {
  /// The errors; empty if the layout is valid. Field paths start in LayoutSpec: "list.row_height".
  public var violations: [FieldViolation]
  /// Parameters that are valid but probably not intended.
  public var warnings: [FieldViolation]

  /// Whether the server accepts the layout.
  public var isValid: Bool { violations.isEmpty }
}

extension LayoutClient {
  /// The size of the whole content area, in points.
  ///
  /// - Parameters:
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its size and traits matter to layouts that depend on them.
  /// - Throws: `LayoutProblem`.
  public func contentSize(
    of source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> Size {
    var request = CollectionLayout_V1_GetContentSizeRequest()
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    let response = try await call { try await queries.getContentSize(request) }
    var reader = FieldReader()
    let size = reader.size(response.contentSize, "content_size")
    try reader.finish()
    return size
  }

  /// The attributes of elements by their keys.
  ///
  /// - Parameters:
  ///   - keys: at most 1000.
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its offset, size and traits matter to layouts that depend on them.
  /// - Returns: one element for each key, in the same order; nil if there is no such element.
  /// - Throws: `LayoutProblem`: FIELD_INVALID, QUOTA_ANSWER_BYTES.
  public func attributes(
    of keys: [ElementKey],
    in source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> [QueriedElement?] {
    var request = CollectionLayout_V1_BatchGetAttributesRequest()
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    request.keys = keys.map { Wire.ElementKey($0) }
    let response = try await call { try await queries.batchGetAttributes(request) }
    var reader = FieldReader()
    let elements = reader.each(response.elements, "elements") { element, reader in
      element.hasAttributes ? QueriedElement(element, &reader) : nil
    }
    try reader.finish()
    return elements
  }

  /// The frontmost element at a point.
  ///
  /// - Parameters:
  ///   - point: in content coordinates.
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its offset, size and traits matter to layouts that depend on them.
  /// - Returns: nil if there is no element at the point.
  ///
  /// - Throws: `LayoutProblem`.
  public func hitTest(
    _ point: Point,
    in source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> QueriedElement? {
    var request = CollectionLayout_V1_HitTestRequest()
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    request.point = Wire.Point(point)
    let response = try await call { try await queries.hitTest(request) }
    guard response.hasElement else { return nil }
    var reader = FieldReader()
    let element = reader.within("element") { QueriedElement(response.element, &$0) }
    try reader.finish()
    return element
  }

  /// Where scrolling should end, after the user lifts the finger or to show an element.
  ///
  /// - Parameters:
  ///   - wanted: the release of the finger, or the element to show.
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its offset, size and traits matter to layouts that depend on them.
  /// - Throws: `LayoutProblem`: INDEX_OUT_OF_RANGE for an element or section that does not exist.
  public func scrollTarget(
    for wanted: ScrollRequest,
    in source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> ScrollTarget {
    var request = CollectionLayout_V1_ComputeScrollTargetRequest()
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    request.request = Wire.ScrollTargetRequest(wanted)
    let response = try await call { try await queries.computeScrollTarget(request) }
    var reader = FieldReader()
    let target = ScrollTarget(
      offset: reader.point(response.contentOffset, "content_offset"),
      element: response.hasKey ? reader.elementKey(response.key, "key") : nil,
      sectionOffset: response.hasSectionOffset ? response.sectionOffset.offset : nil
    )
    try reader.finish()
    return target
  }

  /// The item that a step leads to, as arrow keys and screen readers take it, and where to scroll
  /// to show the item.
  ///
  /// - Parameters:
  ///   - origin: where the step begins.
  ///   - step: the direction of the step.
  ///   - position: where in the viewport the item should appear.
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its offset, size and traits matter.
  /// - Returns: a target without an element if the step leads nowhere.
  /// - Throws: `LayoutProblem`: INDEX_OUT_OF_RANGE if there is nothing at the origin.
  public func neighbor(
    of origin: ScrollRequest.Origin,
    step: NeighborStep,
    at position: ScrollPosition = .nearest,
    in source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> ScrollTarget {
    var request = CollectionLayout_V1_FindNeighborRequest()
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    request.request = Wire.NeighborRequest(origin, step, position)
    let response = try await call { try await queries.findNeighbor(request) }
    var reader = FieldReader()
    var target = ScrollTarget(offset: reader.point(response.contentOffset, "content_offset"))
    if response.hasElement {
      let element = reader.within("element") { QueriedElement(response.element, &$0) }
      target.element = element.key
      target.sectionOffset = response.hasSectionOffset ? response.sectionOffset.offset : nil
      target.neighbor = Neighbor(
        attributes: element.attributes,
        itemKey: element.itemKey,
        outline: element.outline
      )
    }
    try reader.finish()
    return target
  }

  /// Where sections and parts of the content lie, for scroll bars.
  ///
  /// - Parameters:
  ///   - wanted: at most `ServerInfo.maxScrollMapPlaces` fractions, buckets and sections together.
  ///   - source: a collection, or contents that are sent with the query.
  ///   - layout: nil = the collection's default layout.
  ///   - layoutName: a named layout of the collection, in place of `layout`.
  ///   - viewport: its offset, size and traits matter.
  /// - Throws: `LayoutProblem`: FIELD_INVALID, INDEX_OUT_OF_RANGE for a section that does not
  ///   exist.
  public func scrollMap(
    _ wanted: ScrollMapRequest,
    of source: ViewerConfiguration.Source,
    layout: LayoutConfiguration? = nil,
    layoutName: String? = nil,
    viewport: ViewportChange
  ) async throws -> ScrollMap {
    var request = CollectionLayout_V1_GetScrollMapRequest(wanted)
    request.target = try Wire.LayoutTarget(
      source,
      layout: layout,
      layoutName: layoutName,
      viewport: viewport
    )
    let response = try await call { [request] in try await queries.getScrollMap(request) }
    return try ScrollMap(response)
  }

  /// The same for the viewer of an open session, with its expansions and measurements, at its
  /// viewport.
  ///
  /// - Parameter session: its name, "sessions/{session}".
  /// - Throws: `LayoutProblem`: FIELD_INVALID, INDEX_OUT_OF_RANGE, SESSION_EXPIRED.
  public func scrollMap(
    _ wanted: ScrollMapRequest,
    ofSession session: String
  ) async throws -> ScrollMap {
    var request = CollectionLayout_V1_GetScrollMapRequest(wanted)
    request.target.session = session
    let response = try await call { [request] in try await queries.getScrollMap(request) }
    return try ScrollMap(response)
  }

  /// Checks the parameters of a layout without laying out data.
  ///
  /// - Parameter viewportSize: in points; nil = parameters that depend on it are not checked.
  /// - Throws: `LayoutProblem`: LAYOUT_KIND_UNKNOWN.
  public func validate(
    _ layout: LayoutConfiguration,
    viewportSize: Size? = nil
  ) async throws -> LayoutReview {
    var request = CollectionLayout_V1_ValidateLayoutRequest()
    request.layout = try Wire.LayoutSpec(sending: layout)
    if let viewportSize { request.viewportSize = Wire.Size(viewportSize) }
    let response = try await call { try await queries.validateLayout(request) }
    return LayoutReview(
      violations: response.violations.map { FieldViolation($0) },
      warnings: response.warnings.map { FieldViolation($0) }
    )
  }

  /// What the viewer of an open session has expanded in outlines. Pass it to
  /// `ViewerConfiguration.expansions` to open another session that shows the same rows.
  ///
  /// - Parameter session: its name, "sessions/{session}".
  /// - Throws: `LayoutProblem`: SESSION_EXPIRED.
  public func expansions(of session: String) async throws -> ViewerExpansions {
    var request = CollectionLayout_V1_GetExpansionsRequest()
    request.session = session
    let response = try await call { try await queries.getExpansions(request) }
    var reader = FieldReader()
    let expansions = reader.within("expansions") {
      $0.expansions(response.expansions, limit: .max)
    }
    try reader.finish()
    return expansions
  }

  /// The server's version, layout kinds and limits.
  ///
  /// - Throws: `LayoutProblem`.
  public func serverInfo() async throws -> ServerInfo {
    ServerInfo(try await call { try await queries.getServerInfo(.init()) })
  }
}

extension QueriedElement {
  init(_ message: Wire.ElementAttributes, _ reader: inout FieldReader) {
    self.init(
      key: reader.elementKey(message.key, "key"),
      attributes: reader.attributes(message.attributes, "attributes"),
      itemKey: message.itemKey,
      outline: OutlineMark(message.outline),
      sectionKey: message.sectionKey,
      itemData: message.itemData
    )
  }
}
