// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting
internal import SwiftProtobuf

extension QueryResponder {
  private static let defaultPage = 1000
  private static let largestPage = 20_000

  /// Whether encoding an answer may take more than some milliseconds.
  static func isLarge(_ response: Wire.QueryElementsResponse) -> Bool {
    response.elements.count > 1000
  }

  /// Answers QueryElements: one page of the elements in a rect.
  func elements(
    _ request: Wire.QueryElementsRequest,
    call: OpenCall
  ) async throws -> Wire.QueryElementsResponse {
    var reader = FieldReader()
    let rect = request.hasRect ? reader.rect(request.rect, "rect") : nil
    try reader.finish()
    let hashes = try await subjects.engine.read(isLarge: call.isLarge, for: call.account) {
      Self.hashes(of: request)
    }
    let start = try Self.start(of: request, fingerprint: hashes.fingerprint)
    let subject = try await subjects.subject(of: request.target, call: call)
    try checkCount(in: rect, of: subject)
    let size =
      request.pageSize == 0 ? Self.defaultPage : min(Int(request.pageSize), Self.largestPage)
    let answer = try await page(
      size,
      after: start,
      in: rect,
      of: subject,
      key: subject.identity.map {
        .init(query: hashes.seeded, identity: $0, dataVersion: subject.dataVersion)
      }
    )
    call.charge(Double(answer.visited) / 1000 + Double(answer.found) / 100)

    var response = Wire.QueryElementsResponse()
    response.elements = answer.elements
    if let last = answer.last {
      response.nextPageToken =
        PageToken(
          fingerprint: hashes.fingerprint,
          position: [last.indexPath.rawValue, UInt64(last.classRank)]
        ).token
    }
    response.contentSize = Wire.Size(subject.contentSize)
    response.dataVersion = subject.dataVersion
    return response
  }

  /// Hashes of the request fields that must be the same for all pages.
  private static func hashes(of request: Wire.QueryElementsRequest) -> PageToken.Hashes {
    var question = request
    question.pageSize = 0
    question.pageToken = ""
    question.target.clearMinDataVersion()
    return PageToken.hashes(of: question)
  }

  private static func start(
    of request: Wire.QueryElementsRequest,
    fingerprint: UInt64
  ) throws(LayoutProblem) -> ElementPosition? {
    guard !request.pageToken.isEmpty else { return nil }
    let token = try PageToken(parsing: request.pageToken, fingerprint: fingerprint, positions: 2)
    return ElementPosition(
      indexPath: IndexPath(rawValue: token.position[0]),
      classRank: UInt32(clamping: token.position[1])
    )
  }

  /// The part of an answer that depends on the page.
  private struct PageAnswer: Sendable {
    var elements: [Wire.ElementAttributes] = []
    /// The position of the last element; nil = this is the last page.
    var last: ElementPosition?
    /// The number of elements that were visited.
    var visited: Int
    /// The number of elements that were found for the page; some may not fit into it.
    var found: Int
  }

  /// Finds a page, with the cached index of an earlier page if there is one, and makes the messages
  /// of its elements. Large layouts are queried on the engine's threads.
  ///
  /// - Parameters:
  ///   - size: the most elements of the page.
  ///   - key: the key of the query's index in the cache; nil = do not cache.
  private func page(
    _ size: Int,
    after start: ElementPosition?,
    in rect: Rect?,
    of subject: QuerySubject,
    key: ElementIndexCache.Key?
  ) async throws -> PageAnswer {
    let (cache, limit) = (indices, configuration.limits.elementsPerQuery)
    let pageBytes = configuration.calls.pageBytes
    let known = start == nil ? nil : key.flatMap { cache.index(for: $0) }
    let account = subject.charges.account
    return try await subjects.engine.perform(cost: subject.contents.itemCount, for: account) {
      work in
      let pager = ElementPager(queries: subject.queries(within: work), rect: rect, limit: limit)
      let meanwhile = try account.charge(pager.byteCount(ofPage: size + 1))
      defer { withExtendedLifetime(meanwhile) {} }
      if let start, let known, let page = try pager.page(size + 1, after: start, by: known) {
        return Self.answer(page, size, of: subject, pageBytes: pageBytes)
      }
      let (page, index) = try pager.first(size + 1, after: start)
      if let key, let index, page.buffer.elements.count > size { cache.insert(index, for: key) }
      return Self.answer(page, size, of: subject, pageBytes: pageBytes)
    }
  }

  private static func answer(
    _ page: ElementPage,
    _ size: Int,
    of subject: QuerySubject,
    pageBytes: Int
  ) -> PageAnswer {
    let found = page.buffer.elements
    var answer = PageAnswer(visited: page.visited, found: found.count)
    var room = AnswerRoom(bytes: pageBytes)
    for element in found.prefix(size) {
      let message = subject.message(of: element, in: page.buffer)
      // A page has at least one element, even if that exceeds the byte limit.
      guard room.take(message) || answer.elements.isEmpty else { break }
      answer.elements.append(message)
    }
    let count = answer.elements.count
    if count > 0, count < found.count { answer.last = ElementPosition(found[count - 1]) }
    return answer
  }

  /// Refuses a rect that is expected to hold more elements than allowed, before any element is
  /// visited. The estimate assumes that elements are spread evenly over the content.
  ///
  /// - Throws: QUOTA_ELEMENTS.
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
}

/// Counts down the bytes that an answer may still use.
struct AnswerRoom {
  private var bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  /// Takes room for an element. Its size is estimated, unless it has custom attributes.
  ///
  /// - Returns: whether there was enough room.
  mutating func take(_ element: Wire.ElementAttributes) -> Bool {
    if element.attributes.hasCustom { return take(Self.size(of: element)) }
    let names = [element.key.kind, element.itemKey, element.sectionKey, element.itemData]
    return take(names.reduce(160) { $0 + $1.utf8.count })
  }

  /// Takes room for a message.
  ///
  /// - Returns: whether there was enough room.
  mutating func take(_ message: some Message) -> Bool { take(Self.size(of: message)) }

  private mutating func take(_ size: Int) -> Bool {
    bytes -= min(bytes, size)
    return bytes > 0
  }

  private static func size(of message: some Message) -> Int {
    // The server built the message itself, so it can be encoded.
    let encoded: [UInt8]? = try? message.serializedBytes()
    return (encoded?.count ?? 0) + 8
  }
}
