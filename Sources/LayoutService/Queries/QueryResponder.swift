// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust
internal import ResourceAccounting
internal import SwiftProtobuf

/// Answers the calls of LayoutQueryService.
struct QueryResponder: Sendable {
  let subjects: QuerySubjects
  let configuration: ServiceConfiguration
  let indices = ElementIndexCache()

  private static let largestBatch = 1000
  /// The most elements or places, of up to some kilobytes each, of an answer that is encoded at
  /// once.
  private static let fewElements = 500
  /// The same for keys of an answer.
  private static let fewKeys = 4000

  /// Whether encoding an answer may take more than some milliseconds.
  static func isLarge(_ response: Wire.BatchGetAttributesResponse) -> Bool {
    response.elements.count > fewElements
  }

  static func isLarge(_ response: Wire.GetScrollMapResponse) -> Bool {
    response.places.count + response.sections.count + response.buckets.count > fewElements
  }

  static func isLarge(_ response: Wire.GetExpansionsResponse) -> Bool {
    response.expansions.expanded.count + response.expansions.collapsed.count > fewKeys
  }

  func expansions(
    _ request: Wire.GetExpansionsRequest,
    call: OpenCall
  ) async throws -> Wire.GetExpansionsResponse {
    var target = Wire.LayoutTarget()
    target.session = request.session
    let subject = try await subjects.subject(of: target, call: call)
    let expansions = subject.contents.viewerExpansions
    call.charge(Double(expansions.expanded.count + expansions.collapsed.count) / 100)
    var response = Wire.GetExpansionsResponse()
    response.expansions = Wire.ExpansionState(expansions)
    response.dataVersion = subject.dataVersion
    return response
  }

  func contentSize(
    _ request: Wire.GetContentSizeRequest,
    call: OpenCall
  ) async throws -> Wire.GetContentSizeResponse {
    let subject = try await subjects.subject(of: request.target, call: call)
    var response = Wire.GetContentSizeResponse()
    response.contentSize = Wire.Size(subject.contentSize)
    response.dataVersion = subject.dataVersion
    return response
  }

  func attributes(
    _ request: Wire.BatchGetAttributesRequest,
    call: OpenCall
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
    let subject = try await subjects.subject(of: request.target, call: call)
    call.charge(Double(keys.count) / 100)
    let limit = configuration.limits.messageBytes
    var response = Wire.BatchGetAttributesResponse()
    // A single element may take as many steps as there are items, if all are in one line.
    response.elements = try await answer(subject, call) { work in
      try Self.elements(keys, of: subject, byteLimit: limit, work)
    }
    response.dataVersion = subject.dataVersion
    return response
  }

  private static func elements(
    _ keys: [ElementKey],
    of subject: QuerySubject,
    byteLimit: Int,
    _ work: LayoutWork
  ) throws -> [Wire.ElementAttributes] {
    var elements: [Wire.ElementAttributes] = []
    var room = AnswerRoom(bytes: byteLimit)
    for key in keys {
      guard work.proceed(Self.stepsPerElement) else { break }
      let element = subject.message(of: key, subject.queries(within: work).attributes(of: key))
      guard room.take(element) else {
        throw LayoutProblem.quotaExceeded(
          .answerBytes,
          limit: UInt64(clamping: byteLimit),
          field: "keys"
        )
      }
      elements.append(element)
    }
    try work.throwIfStopped()
    return elements
  }

  func hitTest(
    _ request: Wire.HitTestRequest,
    call: OpenCall
  ) async throws -> Wire.HitTestResponse {
    var reader = FieldReader()
    let point = reader.point(request.point, "point")
    try reader.finish()
    let subject = try await subjects.subject(of: request.target, call: call)
    var response = Wire.HitTestResponse()
    if let found = try await ask(subject, call, { $0.hitTest(point) }) {
      response.element = subject.message(of: found.key, found.attributes)
    }
    response.dataVersion = subject.dataVersion
    return response
  }

  /// Answers about one place of a layout: at once if that takes few steps, however large the layout
  /// is, otherwise on the engine's threads.
  func ask<Answer: Sendable>(
    _ subject: QuerySubject,
    _ call: OpenCall,
    _ question: @escaping @Sendable (LayoutQueries) -> Answer
  ) async throws -> Answer {
    try await answer(subject, call) { question(subject.queries(within: $0)) }
  }

  /// Computes an answer about a layout: at once if that takes few steps, otherwise on the engine's
  /// threads. Even for a layout of few items an answer may take any time.
  ///
  /// - Parameter work: called once or twice. Returns soon once its work is stopped.
  private func answer<Answer: Sendable>(
    _ subject: QuerySubject,
    _ call: OpenCall,
    _ work: @escaping @Sendable (LayoutWork) throws -> Answer
  ) async throws -> Answer {
    // Charged by time, because the cost of a step differs a hundredfold between layouts.
    let charged: @Sendable (LayoutWork) throws -> Answer = { limits in
      let start = ProcessorTime.ofThread
      defer { call.charge(seconds: ProcessorTime.ofThread - start) }
      return try work(limits)
    }
    let few = LayoutWork(stepLimit: Self.fewSteps)
    do {
      let answer = try charged(few)
      if !few.isStopped { return answer }
    } catch is LayoutWork.Stop {}
    return try await subjects.engine.perform(cost: .max, for: subject.charges.account) { limits in
      let answer = try charged(limits)
      try limits.throwIfStopped()
      return answer
    }
  }

  /// This many steps take 3 ms at most, mostly a tenth of that.
  private static let fewSteps = 16_384
  private static let stepsPerElement = 16

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

  /// - Parameters:
  ///   - quotas: the quotas of the caller's identity.
  ///   - showsCache: whether the caller may know what others have prepared.
  func serverInfo(
    for quotas: IdentityQuotas,
    showsCache: Bool
  ) -> Wire.GetServerInfoResponse {
    let limits = configuration.limits
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
    response.limits.maxDefaultLayoutBytes = UInt32(clamping: configuration.calls.defaultLayoutBytes)
    response.limits.maxElementsPerQuery = UInt64(clamping: limits.elementsPerQuery)
    response.limits.maxCallsPerConnection = UInt32(clamping: configuration.calls.perConnection)
    response.limits.maxImportsPerConnection = UInt32(
      clamping: configuration.calls.importsPerConnection
    )
    response.limits.maxSharedMeasurementBytesPerCollection = UInt64(
      clamping: limits.sharedMeasurementBytes
    )
    response.limits.maxExpansionExceptionsPerSession = UInt32(
      clamping: limits.expansionExceptions
    )
    response.limits.maxMeasuredElementsPerSession = UInt32(
      clamping: SessionLimits.measuredElements
    )
    response.limits.maxScrollMapPlaces = UInt32(clamping: Self.scrollMapPlaces)
    response.limits.maxItemDataBytes = UInt32(clamping: limits.itemDataBytes)
    response.limits.maxLayoutsPerCollection = UInt32(clamping: configuration.store.layoutCount)
    response.limits.messageTimeout = .init(configuration.calls.messageTimeout)
    if let sessions = quotas.sessions {
      response.limits.maxSessionsPerIdentity = UInt32(clamping: sessions)
    }
    if let calls = quotas.callsPerSecond {
      response.limits.maxCallsPerSecondPerIdentity = UInt32(clamping: calls)
    }
    if let bytes = quotas.contentBytes {
      response.limits.maxContentBytesPerIdentity = UInt64(clamping: bytes)
    }
    if let bytes = quotas.layoutBytes {
      response.limits.maxLayoutBytesPerIdentity = UInt64(clamping: bytes)
    }
    if showsCache { response.cache = .init(subjects.engine.statistics) }
    return response
  }
}

extension CollectionLayout_V1_PreparedLayoutCacheStatistics {
  fileprivate init(_ statistics: EngineStatistics) {
    self.init()
    entries = UInt64(clamping: statistics.entries)
    bytes = UInt64(clamping: statistics.bytes)
    hits = statistics.hits
    misses = statistics.misses
    incrementalUpdates = statistics.incrementalUpdates
    evictions = statistics.evictions
  }
}
