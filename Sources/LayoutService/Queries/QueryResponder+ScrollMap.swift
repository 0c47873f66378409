// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol

extension QueryResponder {
  /// The most fractions, buckets and sections of one scroll map, all together.
  static let scrollMapPlaces = 4096

  func scrollMap(
    _ request: Wire.GetScrollMapRequest,
    call: OpenCall
  ) async throws -> Wire.GetScrollMapResponse {
    let axis = try readScrollMap(request)
    let subject = try await subjects.subject(of: request.target, call: call)
    let asked = ScrollMapRequest(
      axis: axis,
      fractions: request.fractions,
      bucketCount: Int(request.bucketCount),
      sections: try await sections(of: request, in: subject)
    )
    let map = try await ask(subject, call) { $0.scrollMap(asked) }
    var response = Wire.GetScrollMapResponse()
    response.axis = Wire.ScrollDirection(map.axis)
    response.inOrder = map.isInOrder
    response.contentSize = Wire.Size(subject.contentSize)
    response.places = map.places.map { subject.message(of: $0) }
    response.sections = map.sections.map { subject.message(of: $0) }
    response.buckets = map.buckets.map { subject.message(of: $0) }
    response.dataVersion = subject.dataVersion
    return response
  }

  /// Checks all that can be checked without the layout.
  ///
  /// - Returns: the axis; nil = the layout's.
  private func readScrollMap(_ request: Wire.GetScrollMapRequest) throws -> ScrollAxis? {
    var reader = FieldReader()
    let counts: [(field: StaticString, count: Int)] = [
      ("fractions", request.fractions.count), ("bucket_count", Int(request.bucketCount)),
      ("sections", request.sections.count), ("section_keys", request.sectionKeys.count),
    ]
    let count = counts.reduce(0) { $0 + $1.count }
    if count > Self.scrollMapPlaces {
      reader.reject(
        counts.max { $0.count < $1.count }?.field ?? "fractions",
        "\(count) fractions, buckets and sections found; at most \(Self.scrollMapPlaces) are allowed"
          + " together"
      )
      try reader.finish()
    }
    let axis = reader.scrollAxis(request.axis, "axis")
    for (index, fraction) in request.fractions.enumerated() where !(0 ... 1).contains(fraction) {
      reader.reject("fractions", at: index, "\(fraction) found; numbers from 0 to 1 are allowed")
    }
    try reader.finish()
    return axis
  }

  /// The indices of the sections that a request names.
  private func sections(
    of request: Wire.GetScrollMapRequest,
    in subject: QuerySubject
  ) async throws -> [Int] {
    var reader = FieldReader()
    let count = subject.contents.sectionCount
    var sections: [Int] = []
    for (index, section) in request.sections.enumerated() {
      if section < count {
        sections.append(Int(section))
      } else {
        reader.rejectIndex("sections", at: index, "\(section) found; there are \(count) sections")
      }
    }
    if !request.sectionKeys.isEmpty {
      // The first search for a key would make the index of all keys in this task.
      try await subjects.engine.indexKeys(of: subject.contents.whole, for: subject.charges.account)
    }
    for (index, key) in request.sectionKeys.enumerated() {
      if let section = subject.contents.sectionIndex(ofKey: key) {
        sections.append(section)
      } else {
        reader.rejectIndex("section_keys", at: index, "no section has this key")
      }
    }
    try reader.finish()
    return sections
  }
}

extension QuerySubject {
  fileprivate func message(of place: ScrollMap.Place) -> Wire.ScrollMapPlace {
    var message = Wire.ScrollMapPlace()
    message.fraction = place.fraction
    message.position = place.position
    message.contentOffset = Wire.Point(place.offset)
    if let section = place.section {
      message.section = UInt32(clamping: section)
      message.sectionKey = contents.section(at: section).key
    }
    if let item = place.item {
      message.item = Wire.IndexPath(item)
      message.itemKey = contents.key(at: item) ?? ""
    }
    return message
  }

  fileprivate func message(of bucket: ScrollMap.Bucket) -> Wire.ScrollMapBucket {
    var message = Wire.ScrollMapBucket()
    message.itemCount = UInt64(clamping: bucket.itemCount)
    if let section = bucket.firstSection {
      message.section = UInt32(clamping: section)
      message.sectionKey = contents.section(at: section).key
    }
    return message
  }
}
