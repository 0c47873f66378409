// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import GRPCProtobuf
import LayoutProtocol
import SwiftProtobuf

/// Runs one case against a server: parse, call, compare.
struct CaseRunner<Transport: ClientTransport> {
  let client: GRPCClient<Transport>
  let tolerance: Tolerance

  private var queries: CollectionLayout_V1_LayoutQueryService.Client<Transport> {
    .init(wrapping: client)
  }

  private var collections: CollectionLayout_V1_CollectionService.Client<Transport> {
    .init(wrapping: client)
  }

  private var expectations: ElementExpectations { ElementExpectations(tolerance: tolerance) }

  func run(_ test: ConformanceCase) async throws {
    let json = test.json
    let expect = json["expect"] ?? JSON(value: [String: Any]())
    if let body = json["session"] {
      try await SessionRunner(client: client, tolerance: tolerance, body: body).run()
      return
    }
    if json["start"] != nil {
      try await OutlineRunner(runner: self, body: json).run()
      return
    }
    do {
      if let body = json["query"] {
        try await runQuery(body, expect)
      } else if let body = json["scrollTarget"] {
        try await runScrollTarget(body, expect)
      } else if let body = json["hitTest"] {
        try await runHitTest(body, expect)
      } else if let body = json["attributes"] {
        try await runAttributes(body, expect)
      } else if let body = json["validate"] {
        try await runValidate(body, expect)
      } else if let body = json["batch"] {
        try await runBatch(body, expect, id: test.id)
      } else {
        throw Mismatch("a case of an unknown kind: \(json.keys)")
      }
      if expect["problem"] != nil, json["batch"] == nil { throw Mismatch("was not refused") }
    } catch let error as RPCError {
      guard let problem = expect["problem"], json["batch"] == nil else { throw error }
      try checkProblem(problem, error)
    }
  }

  // MARK: - Questions

  private func runQuery(_ body: JSON, _ expect: JSON) async throws {
    let target: CollectionLayout_V1_LayoutTarget = try (body["target"] ?? body).message()
    var rect: CollectionLayout_V1_Rect?
    if let given = body["rect"] { rect = try given.message() }
    let elements = try await allElements(
      target,
      rect: rect,
      pageSize: UInt32(body["pageSize"]?.int ?? 0)
    )
    var size: [Double]?
    if expect["contentSize"] != nil {
      let answer = try await queries.getContentSize(.with { $0.target = target })
      size = [answer.contentSize.width, answer.contentSize.height]
    }
    try expectations.check(expect, elements: elements, contentSize: size)
    if expect["ordered"]?.bool == true {
      let cells = elements.filter { $0.key.category == .cell }.map(\.key.indexPath)
      for (a, b) in zip(cells, cells.dropFirst())
      where (a.section, a.item) >= (b.section, b.item) {
        throw Mismatch("cells are out of order at (\(b.section), \(b.item))")
      }
    }
  }

  func allElements(
    _ target: CollectionLayout_V1_LayoutTarget,
    rect: CollectionLayout_V1_Rect? = nil,
    pageSize: UInt32 = 0
  ) async throws -> [ObservedElement] {
    var elements: [ObservedElement] = []
    var token = ""
    repeat {
      let answer = try await queries.queryElements(
        .with {
          $0.target = target
          if let rect { $0.rect = rect }
          $0.pageSize = pageSize
          $0.pageToken = token
        }
      )
      if pageSize > 0, answer.elements.count > Int(pageSize) {
        throw Mismatch("a page of \(answer.elements.count), at most \(pageSize) were asked for")
      }
      elements += answer.elements.map(ObservedElement.init)
      token = answer.nextPageToken
    } while !token.isEmpty
    return elements
  }

  private func runScrollTarget(_ body: JSON, _ expect: JSON) async throws {
    let answer = try await queries.computeScrollTarget(
      .with {
        $0.target = try (body["target"] ?? body).message()
        $0.request = try (body["request"] ?? body).message()
      }
    )
    try checkScrollTarget(
      expect,
      offset: answer.contentOffset,
      key: answer.hasKey ? answer.key : nil,
      tolerance: tolerance
    )
  }

  private func runHitTest(_ body: JSON, _ expect: JSON) async throws {
    let answer = try await queries.hitTest(
      .with {
        $0.target = try (body["target"] ?? body).message()
        $0.point = try (body["point"] ?? body).message()
      }
    )
    guard expect.has("element") else { return }
    guard let expected = expect["element"] else {
      if answer.hasElement {
        throw Mismatch("hit \(ObservedElement(answer.element).name), expected nothing")
      }
      return
    }
    guard answer.hasElement else { throw Mismatch("hit nothing, expected \(expected.text)") }
    let found = ObservedElement(answer.element)
    guard found.isNamed(by: expected) else {
      throw Mismatch("hit \(found.name), expected \(expected.text)")
    }
    try found.check(expected, tolerance)
  }

  private func runAttributes(_ body: JSON, _ expect: JSON) async throws {
    let keys: [CollectionLayout_V1_ElementKey] = try (body["keys"]?.list ?? []).map {
      try $0.message()
    }
    let answer = try await queries.batchGetAttributes(
      .with {
        $0.target = try (body["target"] ?? body).message()
        $0.keys = keys
      }
    )
    let expected = expect["elements"]?.list ?? []
    guard answer.elements.count == keys.count, expected.count == keys.count else {
      throw Mismatch("\(answer.elements.count) answers for \(keys.count) keys")
    }
    for (element, wanted) in zip(answer.elements, expected) {
      let found = ObservedElement(element)
      if wanted.isNull {
        if element.hasAttributes { throw Mismatch("\(found.name) should have no attributes") }
      } else {
        guard element.hasAttributes else { throw Mismatch("\(found.name) has no attributes") }
        try found.check(wanted, tolerance)
      }
    }
  }

  private func runValidate(_ body: JSON, _ expect: JSON) async throws {
    let answer = try await queries.validateLayout(
      .with {
        if let layout = body["layout"] { $0.layout = try layout.message() }
        if let size = body["viewportSize"] { $0.viewportSize = try size.message() }
      }
    )
    if let valid = expect["valid"]?.bool, valid != answer.violations.isEmpty {
      throw Mismatch("violations \(answer.violations.map(\.field)), expected valid = \(valid)")
    }
    func check(_ names: JSON?, _ found: [CollectionLayout_V1_FieldViolation]) throws {
      for name in names?.list.compactMap(\.string) ?? []
      where !found.contains(where: { $0.field.hasPrefix(name) }) {
        throw Mismatch("\(name) is not among \(found.map(\.field))")
      }
    }
    try check(expect["violations"], answer.violations)
    try check(expect["warnings"], answer.warnings)
    if expect["warned"]?.bool == true, answer.warnings.isEmpty { throw Mismatch("no warning") }
  }

  // MARK: - Batches

  private func runBatch(_ body: JSON, _ expect: JSON, id: String) async throws {
    let created = try await collections.createCollection(
      .with { $0.contents = try (body["before"] ?? JSON(value: [String: Any]())).message() }
    ).collection
    let batches = body["batches"]?.list ?? body["batch"].map { [$0] } ?? []
    var duplicates: [Bool] = []
    var refusal: RPCError?
    for batch in batches {
      do {
        let answer = try await collections.applyUpdates(
          .with {
            $0.name = created.name
            $0.batch = try batch.message()
            if body["expectCurrentVersion"]?.bool == true {
              $0.batch.expectedDataVersion = created.dataVersion
            }
          }
        )
        duplicates.append(answer.duplicate)
      } catch let error as RPCError {
        refusal = error
      }
    }
    if let problem = expect["problem"] {
      guard let refusal else { throw Mismatch("was not refused") }
      try checkProblem(problem, refusal)
    } else if let refusal {
      throw refusal
    }
    if let expected = expect["duplicates"]?.list.compactMap(\.bool), expected != duplicates {
      throw Mismatch("duplicates \(duplicates), expected \(expected)")
    }
    let now = try await collections.getCollection(.with { $0.name = created.name }).collection
    let growth = Int(now.dataVersion) - Int(created.dataVersion)
    if let expected = expect["dataVersionGrowth"]?.int, growth != expected {
      throw Mismatch("data version grew by \(growth), expected \(expected)")
    }
    if let after = expect["after"] { try await checkExport(of: created.name, after) }
    if let layout = body["layout"] {
      let elements = try await allElements(
        .with {
          $0.collection = created.name
          $0.layout = try layout.message()
          if let viewport = body["viewport"] { $0.viewport = try viewport.message() }
        }
      )
      try expectations.check(expect, elements: elements, contentSize: nil)
    }
    _ = try await collections.deleteCollection(.with { $0.name = created.name })
  }

  private func checkExport(of name: String, _ after: JSON) async throws {
    let found = try await collections.exportContents(.with { $0.name = name }) { response in
      var sections: [(key: String, items: [String])] = []
      for try await message in response.messages {
        switch message.part {
        case .section(let section):
          sections.append((section.key, section.blocks.flatMap(\.keys)))
        case .items(let block):
          sections[sections.count - 1].items += block.keys
        default: break
        }
      }
      return sections
    }
    let expected = after.list.map { section in
      (
        key: section.list[0].string ?? "", items: section.list[1].list.compactMap(\.string)
      )
    }
    guard found.count == expected.count,
      zip(found, expected).allSatisfy({ $0.key == $1.key && $0.items == $1.items })
    else { throw Mismatch("contents \(found), expected \(expected)") }
  }
}

/// Compares a failed call with {code?, reason?}, or with a list of those of which one must hold.
func checkProblem(_ expected: JSON, _ error: RPCError) throws {
  let status = try error.unpackGoogleRPCStatus()
  let reason = status?.details.compactMap(\.errorInfo).first?.reason
  try checkProblem(expected, code: error.code.rawValue, reason: reason ?? "")
}

func checkProblem(_ expected: JSON, code: Int, reason: String) throws {
  let allowed = expected.isList ? expected.list : [expected]
  let holds = allowed.contains { problem in
    (problem["code"]?.int ?? code) == code && (problem["reason"]?.string ?? reason) == reason
  }
  guard holds else { throw Mismatch("refused with \(code) \(reason), expected \(expected.text)") }
}

func checkScrollTarget(
  _ expect: JSON,
  offset: CollectionLayout_V1_Point,
  key: CollectionLayout_V1_ElementKey?,
  tolerance: Tolerance
) throws {
  if let expected = expect["contentOffset"]?.numbers {
    guard closeEnough([offset.x, offset.y], expected, tolerance.length) else {
      throw Mismatch("scroll target (\(offset.x), \(offset.y)), expected \(expected)")
    }
  }
  if let expected = expect["key"] {
    var element = CollectionLayout_V1_ElementAttributes()
    if let key { element.key = key }
    let found = ObservedElement(element)
    guard key != nil, found.isNamed(by: expected) else {
      throw Mismatch("rests on \(found.name), expected \(expected.text)")
    }
  }
}
