// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf

/// Answers the calls of LayoutQueryService.
struct QueryResponder: Sendable {
  let subjects: QuerySubjects
  let configuration: ServiceConfiguration

  private static let defaultPage = 1000
  private static let largestPage = 20_000
  private static let largestBatch = 1000

  func contentSize(
    _ request: Wire.GetContentSizeRequest,
    context: CallContext
  ) async throws -> Wire.GetContentSizeResponse {
    let subject = try await subjects.subject(of: request.target, context: context)
    var response = Wire.GetContentSizeResponse()
    response.contentSize = Wire.Size(subject.contentSize)
    response.dataVersion = subject.dataVersion
    return response
  }

  func elements(
    _ request: Wire.QueryElementsRequest,
    context: CallContext
  ) async throws -> Wire.QueryElementsResponse {
    var reader = FieldReader()
    let rect = request.hasRect ? reader.rect(request.rect, "rect") : nil
    try reader.finish()
    var question = request
    question.pageSize = 0
    question.pageToken = ""
    question.target.clearMinDataVersion()
    let fingerprint = PageToken.fingerprint(of: question)
    let start =
      request.pageToken.isEmpty
      ? nil
      : try PageToken(parsing: request.pageToken, fingerprint: fingerprint, positions: 2)
    let subject = try await subjects.subject(of: request.target, context: context)
    try checkCount(in: rect, of: subject)
    let buffer = try elements(in: rect, of: subject)
    var first = 0
    if let start {
      first = buffer.elements.partitioningIndex {
        ($0.indexPath.rawValue, UInt64($0.classRank)) > (start.position[0], start.position[1])
      }
    }
    let size =
      request.pageSize == 0 ? Self.defaultPage : min(Int(request.pageSize), Self.largestPage)
    let page = buffer.elements[first...].prefix(size)
    var response = Wire.QueryElementsResponse()
    response.elements = page.map { subject.message(of: $0, in: buffer) }
    if let last = page.last, page.endIndex < buffer.elements.endIndex {
      response.nextPageToken =
        PageToken(
          fingerprint: fingerprint,
          position: [last.indexPath.rawValue, UInt64(last.classRank)]
        ).token
    }
    response.contentSize = Wire.Size(subject.contentSize)
    response.dataVersion = subject.dataVersion
    return response
  }

  /// - Throws: where there are more than one answer should gather.
  private func elements(
    in rect: Rect?,
    of subject: QuerySubject
  ) throws(LayoutProblem) -> ElementBuffer {
    let limit = configuration.limits.elementsPerQuery
    let buffer = subject.queries.elements(in: rect, limit: max(limit, limit &+ 1))
    guard buffer.elements.count <= limit else {
      throw .quotaExceeded(
        .elements,
        limit: UInt64(limit),
        found: UInt64(buffer.elements.count),
        field: "rect"
      )
    }
    return buffer
  }

  /// Refuses rects that hold far more elements than that without a look. The elements are taken to be
  /// spread evenly.
  private func checkCount(in rect: Rect?, of subject: QuerySubject) throws(LayoutProblem) {
    let limit = configuration.limits.elementsPerQuery
    let count = subject.contents.itemCount
    guard count > limit else { return }
    let size = subject.contentSize
    let whole = Rect(x: 0, y: 0, width: size.width, height: size.height)
    let part = rect.map { $0.intersection(whole) ?? Rect(x: 0, y: 0, width: 0, height: 0) } ?? whole
    let area = max(whole.width, 1) * max(whole.height, 1)
    let share = part.width * part.height / area
    let expected = Double(count) * min(max(share, 0), 1)
    guard expected > Double(limit) else { return }
    throw .quotaExceeded(
      .elements,
      limit: UInt64(limit),
      found: UInt64(expected),
      field: "rect"
    )
  }

  func attributes(
    _ request: Wire.BatchGetAttributesRequest,
    context: CallContext
  ) async throws -> Wire.BatchGetAttributesResponse {
    guard request.keys.count <= Self.largestBatch else {
      throw LayoutProblem.fieldInvalid(
        "keys",
        "\(request.keys.count) keys found; at most \(Self.largestBatch) are allowed"
      )
    }
    var reader = FieldReader()
    let keys = reader.each(request.keys, "keys") { $1.elementKey($0) }
    try reader.finish()
    let subject = try await subjects.subject(of: request.target, context: context)
    var response = Wire.BatchGetAttributesResponse()
    response.elements = keys.map { subject.message(of: $0, subject.queries.attributes(of: $0)) }
    response.dataVersion = subject.dataVersion
    return response
  }

  func hitTest(
    _ request: Wire.HitTestRequest,
    context: CallContext
  ) async throws -> Wire.HitTestResponse {
    var reader = FieldReader()
    let point = reader.point(request.point, "point")
    try reader.finish()
    let subject = try await subjects.subject(of: request.target, context: context)
    var response = Wire.HitTestResponse()
    if let found = subject.queries.hitTest(point) {
      response.element = subject.message(of: found.key, found.attributes)
    }
    response.dataVersion = subject.dataVersion
    return response
  }

  func scrollTarget(
    _ request: Wire.ComputeScrollTargetRequest,
    context: CallContext
  ) async throws -> Wire.ComputeScrollTargetResponse {
    var reader = FieldReader()
    let asked = reader.within("request") { $0.scrollRequest(request.request) }
    try reader.finish()
    guard let asked else {
      throw LayoutProblem.fieldInvalid("request", "nothing found; release or element is needed")
    }
    let subject = try await subjects.subject(of: request.target, context: context)
    let target = try Self.target(of: asked, in: subject)
    var response = Wire.ComputeScrollTargetResponse()
    response.contentOffset = Wire.Point(target.offset)
    if let element = target.element { response.key = Wire.ElementKey(element) }
    response.dataVersion = subject.dataVersion
    return response
  }

  private static func target(
    of request: ScrollRequest,
    in subject: QuerySubject
  ) throws(LayoutProblem) -> ScrollTarget {
    let asked: ScrollTargetRequest
    let field: String
    switch request {
    case .release(let proposed, let velocity, let section):
      if let section, section >= subject.contents.sectionCount {
        throw .indexOutOfRange([
          .init(
            field: "request.release.section",
            description: "\(section) found; there are \(subject.contents.sectionCount) sections"
          )
        ])
      }
      asked = .release(proposed: proposed, velocity: velocity, section: section)
      field = "request.release"
    case .element(let key, let position):
      asked = .element(key, position: position)
      field = "request.element.key"
    case .item(let key, let position):
      field = "request.element.item_key"
      guard let cell = subject.cell(ofItemKey: key) else {
        throw .indexOutOfRange([.init(field: field, description: "no item has this key")])
      }
      asked = .element(cell, position: position)
    }
    guard let target = subject.queries.scrollTarget(for: asked) else {
      throw .indexOutOfRange([.init(field: field, description: "there is no such element")])
    }
    return target
  }

  func validate(
    _ request: Wire.ValidateLayoutRequest
  ) throws(LayoutProblem) -> Wire.ValidateLayoutResponse {
    var reader = FieldReader()
    let size = request.hasViewportSize ? reader.size(request.viewportSize, "viewport_size") : nil
    try reader.finish()
    let verdict: LayoutVerdict
    do throws(LayoutProblem) {
      verdict = try request.layout.verdict(by: subjects.rules, viewportSize: size)
    } catch { throw error.within("layout") }
    var response = Wire.ValidateLayoutResponse()
    response.violations = verdict.violations.map { Wire.FieldViolation($0) }
    response.warnings = verdict.warnings.map { Wire.FieldViolation($0) }
    return response
  }

  func serverInfo() async -> Wire.GetServerInfoResponse {
    let limits = configuration.limits
    let statistics = await subjects.engine.statistics
    var response = Wire.GetServerInfoResponse()
    response.version = configuration.version
    response.layoutKinds = subjects.rules.registry.supportedKinds
    response.encodings = [.packed, .messages]
    response.limits.maxSessions = UInt32(clamping: limits.sessions)
    response.limits.maxItemsPerCollection = UInt64(clamping: limits.itemsPerCollection)
    response.limits.maxSectionsPerCollection = UInt32(clamping: limits.sectionsPerCollection)
    response.limits.maxOperationsPerBatch = UInt32(clamping: limits.operationsPerBatch)
    response.limits.maxElementsPerFrame = UInt32(clamping: limits.elementsPerFrame)
    response.limits.maxMessageBytes = UInt32(clamping: limits.messageBytes)
    response.limits.resumeGrace = .init(configuration.resume.grace)
    response.cache.entries = UInt64(clamping: statistics.entries)
    response.cache.bytes = UInt64(clamping: statistics.bytes)
    response.cache.hits = statistics.hits
    response.cache.misses = statistics.misses
    response.cache.incrementalUpdates = statistics.incrementalUpdates
    response.cache.evictions = statistics.evictions
    return response
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index for which `predicate` holds, in a collection where it holds from some index on.
  fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
