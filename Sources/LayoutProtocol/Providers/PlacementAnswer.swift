// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import Synchronization

/// A provider's answer as it arrives. Long work runs on threads for that; a message of elements is
/// processed in pieces, so that other work may run in between.
final class PlacementAnswer: Sendable {
  private struct State {
    /// nil = the answer has ended.
    var builder: PlacementBuilder?
    var whole: Placement?
  }

  private let threads: any PlacementThreads
  /// The steps run one after the other, so nobody ever waits for it.
  private let state: Mutex<State>

  /// The elements to add before other work may run: about a millisecond.
  private static let piece = 4096
  /// This many items without placed elements take as long as one element.
  private static let emptyItems = 64

  /// An answer that places everything.
  ///
  /// - Throws: why the threads cannot begin it.
  init(
    _ contents: CollectionContents,
    _ elementLimit: Int,
    on threads: any PlacementThreads
  ) async throws {
    self.threads = threads
    let builder = try await threads.perform(
      cost: contents.sectionCount + contents.itemCount / Self.emptyItems
    ) { _ in
      PlacementBuilder(contents, elementLimit: elementLimit)
    }
    state = Mutex(State(builder: builder))
  }

  /// An answer that contains only what changes moved.
  ///
  /// - Throws: why the threads cannot begin it.
  init(
    _ contents: CollectionContents,
    from base: Placement,
    _ kept: KeptItems,
    _ elementLimit: Int,
    on threads: any PlacementThreads
  ) async throws {
    self.threads = threads
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

  /// Adds elements.
  ///
  /// - Parameter take: receives the bytes of memory that the answer now takes; may refuse them.
  /// - Throws: what is wrong with the elements; what `take` throws.
  func add(_ elements: Wire.PlacedElements, _ take: (Int) throws -> Void) async throws {
    let columns = PlacedColumns(elements)
    var next: Int? = 0
    while let first = next {
      next = try change { (builder) throws(PlacementFault) in
        try builder.add(columns, from: first, atMost: Self.piece)
      }
      if next != nil { await Task.yield() }
    }
    try take(try change { builder in builder.byteCount })
  }

  /// Removes elements that were placed before.
  ///
  /// - Throws: what is wrong with them; why the threads cannot do it.
  func remove(_ elements: Wire.RemovedElements) async throws {
    let columns = PlacedColumns(elements)
    try await threads.perform(cost: columns.count) { work in
      try self.change { (builder) throws(PlacementFault) in
        try builder.remove(columns, within: work)
      }
      try work.throwIfStopped()
    }
  }

  /// Adds the end of the answer.
  ///
  /// - Throws: what is wrong with the answer; why the threads cannot do it.
  func end(_ end: PlacementEnd) async throws {
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
