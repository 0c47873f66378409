// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import SwiftProtobuf
internal import Synchronization

/// A provider's answer as it arrives. Long work runs on threads for that, which includes decoding;
/// a message of elements is processed in pieces, so that other work may run in between. Memory is
/// charged before it is taken.
final class PlacementAnswer: Sendable {
  private struct State {
    /// nil = the answer has ended.
    var builder: PlacementBuilder?
    var whole: Placement?
  }

  /// What one message says.
  enum Part: Sendable {
    case elements(PlacedColumns)
    /// Elements that were placed before and are gone.
    case removed(PlacedColumns)
    case end(PlacementEnd)
  }

  private let threads: any PlacementThreads
  /// Receives the bytes of memory that the answer is about to take; may refuse them.
  private let take: @Sendable (Int) throws -> Void
  /// The steps run one after the other, so nobody ever waits for it.
  private let state: Mutex<State>

  /// The elements to add before other work may run: about twenty milliseconds on a thread for long
  /// work.
  private static let piece = 65_536
  /// Decoding this many bytes takes at most as long as adding one element.
  private static let elementBytes = 4
  /// This many items without placed elements take as long as one element.
  private static let emptyItems = 64

  /// An answer that places everything.
  ///
  /// - Parameter take: receives the bytes of memory that the answer is about to take; may refuse
  ///   them.
  /// - Throws: why the threads cannot begin it.
  init(
    _ contents: CollectionContents,
    _ elementLimit: Int,
    on threads: any PlacementThreads,
    _ take: @escaping @Sendable (Int) throws -> Void
  ) async throws {
    self.threads = threads
    self.take = take
    let builder = try await threads.perform(
      cost: contents.sectionCount + contents.itemCount / Self.emptyItems
    ) { _ in
      PlacementBuilder(contents, elementLimit: elementLimit)
    }
    state = Mutex(State(builder: builder))
  }

  /// An answer that contains only what changes moved.
  ///
  /// - Parameter take: receives the bytes of memory that the answer is about to take; may refuse
  ///   them.
  /// - Throws: why the threads cannot begin it.
  init(
    _ contents: CollectionContents,
    from base: Placement,
    _ kept: KeptItems,
    _ elementLimit: Int,
    on threads: any PlacementThreads,
    _ take: @escaping @Sendable (Int) throws -> Void
  ) async throws {
    self.threads = threads
    self.take = take
    let builder = try await threads.perform(
      cost: base.elements.count + contents.sectionCount + contents.itemCount / Self.emptyItems
    ) { work in
      let builder = PlacementBuilder(
        contents,
        from: base,
        kept,
        elementLimit: elementLimit,
        within: work
      )
      try work.throwIfStopped()
      return builder
    }
    state = Mutex(State(builder: builder))
  }

  /// Adds a message.
  ///
  /// - Parameter part: what it says; nil = a part that is not known here.
  /// - Throws: what is wrong with it; what `take` throws; why the threads cannot process it;
  ///   `CancellationError`.
  func add<Response: Message>(
    _ message: AnswerBytes,
    _ part: @escaping @Sendable (Response) -> Part?
  ) async throws {
    switch try await decode(message.bytes, part) {
    case .elements(let columns): try await add(columns)
    case .removed(let columns): try await remove(columns)
    case .end(let end): try await self.end(end)
    case nil: throw PlacementFault.unknownPart
    }
  }

  private func decode<Response: Message>(
    _ bytes: [UInt8],
    _ part: @escaping @Sendable (Response) -> Part?
  ) async throws -> Part? {
    let taken = try change { builder in builder.byteCount }
    return try await threads.perform(cost: bytes.count / Self.elementBytes) { [take] _ in
      do {
        // Safe: the span lives no longer than the array, which the closure holds.
        return part(
          try unsafe BoundedDecoding.decode(bytes.span.bytes) { try take(taken + $0) }
        )
      } catch let problem as LayoutProblem {
        let fault = problem.violations.first.map { "\($0.field) \($0.description)" }
        throw PlacementFault(
          "a message of the answer is refused: \(fault ?? "it is no \(Response.protoMessageName)")"
        )
      }
    }
  }

  private func add(_ columns: PlacedColumns) async throws {
    // First, because a wrong number must not be charged to the client.
    try change { (builder) throws(PlacementFault) in try builder.check(columns) }
    try take(try change { builder in builder.byteCount(with: columns) })
    var next: Int? = 0
    while let first = next {
      try Task.checkCancellation()
      let cost = max(0, min(columns.count - first, Self.piece))
      next = try await threads.perform(cost: cost) { _ in
        try self.change { (builder) throws(PlacementFault) in
          try builder.add(columns, from: first, atMost: Self.piece)
        }
      }
    }
    try take(try change { builder in builder.byteCount })
  }

  private func remove(_ columns: PlacedColumns) async throws {
    try await threads.perform(cost: columns.count) { work in
      try self.change { (builder) throws(PlacementFault) in
        try builder.remove(columns, within: work)
      }
      try work.throwIfStopped()
    }
  }

  private func end(_ end: PlacementEnd) async throws {
    let cost = try change { builder in builder.finishingCost }
    try await threads.perform(cost: cost) { work in
      guard let builder = self.state.withLock({ $0.builder.take() }) else {
        throw PlacementFault.afterEnd
      }
      let whole = try builder.finish(end, within: work)
      try work.throwIfStopped()
      self.state.withLock { $0.whole = whole }
    }
  }

  /// The finished placement.
  ///
  /// - Throws: `PlacementFault` if the end has not arrived.
  var placement: Placement {
    get throws(PlacementFault) {
      guard let whole = state.withLock({ $0.whole }) else {
        throw PlacementFault("the answer has no end")
      }
      return whole
    }
  }

  private func change<Result: Sendable>(
    _ body: (inout PlacementBuilder) throws(PlacementFault) -> Result
  ) throws(PlacementFault) -> Result {
    try state.withLock { (state) throws(PlacementFault) in
      // In place, since a copy of the builder would copy all elements.
      guard let result = try state.builder?.apply(body) else { throw .afterEnd }
      return result
    }
  }
}

extension PlacementBuilder {
  fileprivate mutating func apply<Result>(
    _ body: (inout PlacementBuilder) throws(PlacementFault) -> Result
  ) throws(PlacementFault) -> Result {
    try body(&self)
  }
}

extension PlacementFault {
  static let afterEnd = PlacementFault("something came after the end")
  static let unknownPart = PlacementFault("a response has no part that is known here")
}
