// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession

extension QueryResponder {
  func scrollTarget(
    _ request: Wire.ComputeScrollTargetRequest,
    call: OpenCall
  ) async throws -> Wire.ComputeScrollTargetResponse {
    var reader = FieldReader()
    let asked = reader.within("request") { $0.scrollRequest(request.request) }
    try reader.finish()
    guard let asked else {
      throw LayoutProblem.fieldInvalid(
        "request",
        "nothing found; release, element or neighbor is needed"
      )
    }
    let subject = try await subjects.subject(of: request.target, call: call)
    let target = try await target(of: asked, in: subject, call: call)
    var response = Wire.ComputeScrollTargetResponse()
    response.contentOffset = Wire.Point(target.offset)
    if let element = target.element { response.key = Wire.ElementKey(element) }
    if let offset = Wire.SectionOffset(target) { response.sectionOffset = offset }
    response.dataVersion = subject.dataVersion
    return response
  }

  func neighbor(
    _ request: Wire.FindNeighborRequest,
    call: OpenCall
  ) async throws -> Wire.FindNeighborResponse {
    var reader = FieldReader()
    let asked = reader.within("request") { $0.neighborRequest(request.request) }
    try reader.finish()
    guard let asked else {
      throw LayoutProblem.fieldInvalid("request", "nothing found; a step is needed")
    }
    let subject = try await subjects.subject(of: request.target, call: call)
    let target = try await target(of: asked, in: subject, call: call, neighborPath: "request")
    var response = Wire.FindNeighborResponse()
    response.contentOffset = Wire.Point(target.offset)
    if let key = target.element, let neighbor = target.neighbor {
      response.element = Wire.ElementAttributes(key, neighbor)
      if let offset = Wire.SectionOffset(target) { response.sectionOffset = offset }
    }
    response.dataVersion = subject.dataVersion
    return response
  }

  private func target(
    of request: ScrollRequest,
    in subject: QuerySubject,
    call: OpenCall,
    neighborPath: String = "request.neighbor"
  ) async throws -> ScrollTarget {
    let asked: ScrollTargetRequest
    switch request {
    case .release(let proposed, let velocity, let section, let deceleration):
      if let section, section >= subject.contents.sectionCount {
        throw LayoutProblem.indexOutOfRange([
          .init(
            field: "request.release.section",
            description: "\(section) found; there are \(subject.contents.sectionCount) sections"
          )
        ])
      }
      asked = .release(
        proposed: proposed,
        velocity: velocity,
        section: section,
        deceleration: deceleration
      )
    case .element(let key, let position):
      asked = .element(key, position: position)
    case .item(let key, let position, _):
      let field = "request.element.item_key"
      let cell = try await cell(ofItem: key, in: subject, field: field, offersReveal: true)
      asked = .element(cell, position: position)
    case .neighbor(let origin, let step, let position):
      let start = try await start(of: origin, in: subject, path: neighborPath)
      asked = .neighbor(of: start, step: step, position: position)
    }
    guard let target = try await ask(subject, call, { $0.scrollTarget(for: asked) }) else {
      throw Self.notPlaced(request, neighborPath: neighborPath)
    }
    return target
  }

  /// The problem of a question whose element the layout does not have.
  ///
  /// - Parameter neighborPath: where the request has what is `neighbor` in a scroll request.
  private static func notPlaced(_ request: ScrollRequest, neighborPath: String) -> LayoutProblem {
    let named = request.namedElement
    let field = named.map { $0.field.split(separator: ".", maxSplits: 1) } ?? []
    let path = field.first == "neighbor" ? neighborPath : "request.element"
    return .indexOutOfRange([
      .init(
        field: field.count > 1 ? "\(path).\(field[1])" : "request",
        description: "\(named?.found ?? "nothing found"); \(ScrollRequest.notPlaced)"
      )
    ])
  }

  private func start(
    of origin: ScrollRequest.Origin,
    in subject: QuerySubject,
    path: String
  ) async throws -> NeighborOrigin {
    switch origin {
    case .element(let key): .element(key)
    case .item(let key):
      .element(
        try await cell(ofItem: key, in: subject, field: "\(path).item_key", offersReveal: false)
      )
    case .point(let point): .point(point)
    case .nowhere: .nowhere
    }
  }

  private func cell(
    ofItem key: String,
    in subject: QuerySubject,
    field: String,
    offersReveal: Bool
  ) async throws -> ElementKey {
    // Otherwise the first search for a key would build the key index in this task.
    try await subjects.engine.indexKeys(of: subject.contents.whole, for: subject.charges.account)
    guard let cell = subject.cell(ofItemKey: key) else {
      if subject.hidesItem(ofKey: key) {
        throw LayoutProblem(.elementHidden(key, field: field, offersReveal: offersReveal))
      }
      throw LayoutProblem.indexOutOfRange([
        .init(field: field, description: "\"\(key)\" found; no item has this key")
      ])
    }
    return cell
  }
}
