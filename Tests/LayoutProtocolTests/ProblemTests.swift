// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import GRPCProtobuf
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@Suite("LayoutProblem", .timeLimit(.minutes(2)))
struct ProblemTests {
  static let all: [LayoutProblem] = [
    .fieldInvalid("a.b", "found and allowed"),
    LayoutProblem(
      Refusal(.batchInconsistent, field: "operations[3].move_item.to", "named twice")
    ),
    .indexOutOfRange([.init(field: "operations[0]", description: "9 of 4")]),
    .layoutKindUnknown(field: "layout", found: "nothing", supported: ["flow", "list"]),
    .pageTokenInvalid("of another question"),
    .resumeTokenInvalid("malformed"),
    .routingKeyMismatch(metadata: "collections/a", message: "collections/b"),
    .protocolViolation("event 3 after event 4"),
    .openTimeout(after: .seconds(5)),
    .featureUnsupported("no such thing"),
    .collectionNotFound("collections/a"),
    .sessionExpired("sessions/a"),
    .collectionExists("collections/a"),
    .versionConflict(expected: 3, current: 4),
    .etagConflict(expected: "a", current: "b"),
    .historyCompacted(found: 3, minDataVersion: 9),
    .dataVersionNotReached(wanted: 9, current: 3),
    .quotaExceeded(.items, limit: 10, found: 11, field: "contents.sections"),
    .quotaExceeded(.eventRate, limit: 240, retryDelay: .seconds(1)),
    .messageTooLarge(found: 9, limit: 8),
    .slowClient(unacknowledgedFor: .seconds(30)),
    .slowClient(unreadFor: .seconds(30)),
    .unauthenticated("no credentials"),
    .permissionDenied(),
    .serverDraining(),
    .storeUnavailable(),
    .logCorrupt("record 3"),
    .internalFault(),
  ]

  @Test("every fault survives as the message of an event", arguments: all)
  func message(problem: LayoutProblem) {
    #expect(LayoutProblem(Wire.Problem(problem)) == problem)
  }

  @Test("every fault survives as the status of a call", arguments: all)
  func status(problem: LayoutProblem) throws {
    let error = RPCError(problem)
    #expect(error.code == problem.code)
    #expect(error.message == problem.message)
    #expect(LayoutProblem(error) == problem)
  }

  @Test("what was found cannot control a terminal, and is not longer than a header may be")
  func printable() {
    let problem = LayoutProblem.etagConflict(expected: "\u{1B}[2J", current: "b")
    #expect(RPCError(problem).message.contains(#""\u{1B}[2J" found"#))
    #expect(Wire.Problem(problem).message.contains(#""\u{1B}[2J" found"#))
    var long = problem
    long.message = String(repeating: "\u{1B}", count: 1024)
    #expect(RPCError(long).message.utf8.count == 1024)
  }

  @Test("a reason travels as ErrorInfo of the protocol's domain")
  func errorInfo() throws {
    let status = LayoutProblem.versionConflict(expected: 3, current: 4).status
    let info = try #require(status.details.compactMap(\.errorInfo).first)
    #expect(info.reason == "VERSION_CONFLICT")
    #expect(info.domain == "collection_layout.v1")
    #expect(info.metadata == ["currentDataVersion": "4"])
    #expect(status.code == .aborted)
  }

  @Test("quotas, missing things and passing faults have the details that belong to them")
  func details() {
    let quota = LayoutProblem.quotaExceeded(.sessions, limit: 2, retryDelay: .seconds(3)).status
    #expect(quota.details.compactMap(\.quotaFailure).count == 1)
    #expect(quota.details.compactMap(\.retryInfo).first?.delay == .seconds(3))
    let missing = LayoutProblem.collectionNotFound("collections/a").status
    #expect(missing.details.compactMap(\.resourceInfo).first?.name == "collections/a")
    let invalid = LayoutProblem.fieldInvalid("a.b", "c").status
    #expect(invalid.details.compactMap(\.badRequest).first?.violations.map(\.field) == ["a.b"])
  }

  @Test("a foreign status keeps its code and message")
  func foreign() {
    let problem = LayoutProblem(RPCError(code: .cancelled, message: "gone"))
    #expect(problem == LayoutProblem(code: .cancelled, reason: .none, message: "gone"))
  }

  @Test("a message from the peer with an unknown code is unknown")
  func unknownCode() {
    let message = Wire.Problem.with {
      $0.code = 99
      $0.reason = "NEW"
    }
    #expect(LayoutProblem(message).code == .unknown)
    #expect(LayoutProblem(message).reason.rawValue == "NEW")
  }

  @Test("fields are seen from the message that holds the faulty one")
  func within() {
    let problem = LayoutProblem.fieldsInvalid([
      .init(field: "operations[0]", description: ""), .init(field: "", description: ""),
    ])
    #expect(problem.within("batch").violations.map(\.field) == ["batch.operations[0]", "batch"])
  }

  @Test("words from outside are quoted in part only")
  func quoting() {
    let problem = LayoutProblem.collectionNotFound(String(repeating: "x", count: 1_000_000))
    #expect(problem.message.utf8.count < 200)
  }

  @Test(
    "what the core refuses keeps its reason, words and fields",
    arguments: Refusal.Reason.allCases
  )
  func refusals(reason: Refusal.Reason) {
    let problem = LayoutProblem(Refusal(reason, field: "operations[1]", "bad"))
    #expect(problem.reason.rawValue == reason.rawValue)
    #expect(problem.violations.map(\.field) == ["operations[1]"])
    #expect(problem.message == "operations[1]: bad.")
  }

  @Test(
    "what the core refuses has the status of the contract",
    arguments: [
      (Refusal.Reason.fieldInvalid, 3), (.batchInconsistent, 3), (.indexOutOfRange, 11),
      (.quotaItems, 8), (.quotaSections, 8), (.quotaOperations, 8), (.quotaMemory, 8),
      (.versionConflict, 10), (.wrongState, 9), (.moveRefused, 9), (.featureUnsupported, 12),
    ]
  )
  func codes(reason: Refusal.Reason, code: Int) {
    #expect(LayoutProblem(Refusal(reason, "bad")).code.rawValue == code)
  }

  @Test("a refusal is seen from the message that holds the refused one")
  func refusalsWithin() {
    let fields = Refusal(
      .batchInconsistent,
      [
        FieldViolation(field: "operations[0]", description: "is odd"),
        FieldViolation(field: "", description: "is empty"),
      ]
    )
    #expect(fields.message == "operations[0]: is odd (and 1 more).")
    #expect(fields.within("batch").violations.map(\.field) == ["batch.operations[0]", "batch"])
    #expect(fields.within("batch").message == "batch.operations[0]: is odd (and 1 more).")
    #expect(Refusal(.wrongState, "Not now.").within("batch").message == "Not now.")
  }
}
