// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol

extension CollectionLayout_V1_GetScrollMapRequest {
  init(_ request: ScrollMapRequest) {
    self.init()
    if let axis = request.axis { self.axis = Wire.ScrollDirection(axis) }
    fractions = request.fractions
    bucketCount = UInt32(clamping: request.bucketCount)
    sections = request.sections.map { UInt32(clamping: $0) }
  }
}

extension ScrollMap {
  init(_ message: CollectionLayout_V1_GetScrollMapResponse) throws(LayoutProblem) {
    var reader = FieldReader()
    let axis = reader.scrollAxis(message.axis, "axis")
    self.init(
      axis: axis ?? .vertical,
      isInOrder: message.inOrder,
      places: reader.each(message.places, "places") { Place($0, &$1) },
      sections: reader.each(message.sections, "sections") { Place($0, &$1) },
      buckets: message.buckets.map {
        Bucket(
          itemCount: Int(clamping: $0.itemCount),
          firstSection: $0.hasSection ? Int($0.section) : nil
        )
      }
    )
    try reader.finish()
  }
}

extension ScrollMap.Place {
  fileprivate init(_ message: CollectionLayout_V1_ScrollMapPlace, _ reader: inout FieldReader) {
    self.init(
      fraction: reader.number(message.fraction, "fraction"),
      position: message.position,
      offset: reader.point(message.contentOffset, "content_offset"),
      section: message.hasSection ? Int(message.section) : nil,
      item: message.hasItem ? reader.indexPath(message.item, "item") : nil
    )
  }
}
