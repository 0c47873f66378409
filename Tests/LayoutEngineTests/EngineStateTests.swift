// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import ResourceAccounting
import Testing

@testable import LayoutEngine

@Suite("EngineState", .timeLimit(.minutes(1)))
struct EngineStateTests {
  private let counter = WorkCounter()
  private var state = EngineState(
    cache: PreparedLayoutCache(byteLimit: .max, usefulVersions: 16, account: Account()),
    refused: RefusedLayouts(account: Account())
  )

  private func request(
    _ version: UInt64,
    changes: ClosedRange<UInt64>? = nil
  )
    -> PreparationRequest
  {
    PreparationRequest(
      contents: .empty,
      version: ContentsVersion(identity: ContentsIdentity(1), number: version),
      configuration: LayoutConfiguration(CountingLayout(counter: counter)),
      container: LayoutContainer(size: .zero),
      changes: (changes.map(Array.init) ?? []).map {
        VersionedChange(newVersion: $0, change: .replacement(of: .empty, with: .empty))
      }
    )
  }

  private func key(_ request: PreparationRequest) -> EngineState.Key {
    EngineState.Key(variant: request.variant, version: request.version.number)
  }

  private mutating func ask(
    _ request: PreparationRequest
  ) throws -> (waiter: LayoutWaiter, begin: EngineState.Computation?) {
    guard case .wait(let waiter, let computation) = state.step(for: request, key(request)) else {
      throw Unexpected()
    }
    return (waiter, computation)
  }

  private struct Unexpected: Error {}

  private func layout(_ computation: EngineState.Computation) -> SharedLayout {
    SharedLayout(
      id: 0,
      variant: computation.key.variant,
      version: computation.key.version,
      prepared: CountingLayout.Prepared(
        context: LayoutContext(
          contents: .empty,
          container: computation.key.variant.container
        ),
        byteCount: 10
      )
    )
  }

  private func ticket() -> WorkTicket {
    WorkTicket(id: 1, path: [], threads: nil, run: { _ in }, drop: {})
  }

  @Test("one computation for all who ask; whoever comes later takes the result")
  mutating func sharing() throws {
    let request = request(1)
    let (first, begun) = try ask(request)
    let (second, other) = try ask(request)
    let computation = try #require(begun)
    #expect(other == nil)
    let ending = state.finish(computation, with: layout(computation))
    #expect(ending.owner === first)
    #expect(ending.waiters.map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    guard case .take = state.step(for: request, key(request)) else { throw Unexpected() }
  }

  @Test("a newer version waits for the older one, and is derived from it")
  mutating func derivation() throws {
    let begun = try ask(request(1)).begin
    let old = try #require(begun)
    let (waiter, other) = try ask(request(3, changes: 2 ... 3))
    #expect(other == nil)
    let made = layout(old)
    let ending = state.finish(old, with: made)
    let next = try #require(ending.computations.first)
    #expect(ending.computations.count == 1)
    #expect(next.base?.changes.map(\.newVersion) == [2, 3])
    let last = state.finish(next, with: layout(next))
    #expect(last.owner === waiter)
  }

  @Test("a newer version begins from nothing where the older one came to nothing")
  mutating func failedBase() throws {
    let begun = try ask(request(1)).begin
    let old = try #require(begun)
    _ = try ask(request(2, changes: 2 ... 2))
    let ending = state.finish(old, with: nil)
    #expect(ending.computations.count == 1)
    #expect(ending.computations.first?.base == nil)
  }

  @Test("a computation is given up by the last who waits for it, and not before")
  mutating func leaving() throws {
    let request = request(1)
    let (first, begun) = try ask(request)
    let (second, _) = try ask(request)
    let computation = try #require(begun)
    let ticket = ticket()
    let isWanted = state.note(ticket, of: computation)
    #expect(isWanted)
    let none = state.leave(first, key(request))
    #expect(none.isEmpty)
    let last = state.leave(second, key(request))
    #expect(last.map { ($0 as? WorkTicket)?.id } == [ticket.id])
    // Whoever asks now begins anew, and the late result reaches nobody.
    let anew = try ask(request).begin
    let again = try #require(anew)
    #expect(again.id != computation.id)
    let late = state.finish(computation, with: layout(computation))
    #expect(late.owner == nil)
    let isStillWanted = state.note(ticket, of: computation)
    #expect(!isStillWanted)
  }

  @Test("an older version that only a newer one waits for goes on, and is given up with it")
  mutating func leavingChains() throws {
    let (old, new) = (request(1), request(2, changes: 2 ... 2))
    let (oldWaiter, begun) = try ask(old)
    let computation = try #require(begun)
    let ticket = ticket()
    let isWanted = state.note(ticket, of: computation)
    #expect(isWanted)
    let (newWaiter, _) = try ask(new)
    let none = state.leave(oldWaiter, key(old))
    #expect(none.isEmpty)
    let last = state.leave(newWaiter, key(new))
    #expect(last.map { ($0 as? WorkTicket)?.id } == [ticket.id])
    let anew = try ask(old).begin
    #expect(anew != nil)
  }

  private mutating func refusal(_ request: PreparationRequest) -> LayoutWork.Stop? {
    if case .refuse(let stop) = state.step(for: request, key(request)) { stop } else { nil }
  }

  @Test("what exceeded a limit is not begun again, from the same beginning and of the same version")
  mutating func refusals() throws {
    let stop = LayoutWork.Stop.tooManySteps(limit: 5)
    let begun = try ask(request(2)).begin
    let computation = try #require(begun)
    _ = state.finish(computation, with: nil, exceeding: stop)
    let again = refusal(request(2))
    #expect(again == stop)
    // It may take less from an older layout.
    var derived = request(2, changes: 2 ... 2)
    derived.base = .init(version: 1, prepared: layout(computation).prepared)
    let other = try ask(derived).begin
    _ = state.finish(try #require(other), with: nil)
    let edited = try ask(request(3)).begin
    _ = state.finish(try #require(edited), with: nil, exceeding: stop)
    let newer = refusal(request(3))
    #expect(newer == stop)
    _ = state.purge(ContentsIdentity(1))
    let purged = try ask(request(3)).begin
    #expect(purged != nil)
  }

  @Test("a computation that was cancelled, or whose contents are gone, is not remembered")
  mutating func forgottenRefusals() throws {
    let begun = try ask(request(1)).begin
    _ = state.finish(try #require(begun), with: nil)
    let again = try ask(request(1)).begin
    _ = state.purge(ContentsIdentity(1))
    _ = state.finish(try #require(again), with: nil, exceeding: .tooManyBytes(limit: 1))
    let last = try ask(request(1)).begin
    #expect(last != nil)
  }

  @Test("what is purged while it is computed reaches those who wait and is not kept")
  mutating func purging() throws {
    let request = request(1)
    let (waiter, begun) = try ask(request)
    let computation = try #require(begun)
    _ = state.purge(ContentsIdentity(1))
    var made: SharedLayout? = layout(computation)
    let ending = state.finish(computation, with: made)
    #expect(ending.owner === waiter)
    made = nil
    #expect(state.cache.count == 0)
    let anew = try ask(request).begin
    #expect(anew != nil)
  }
}
