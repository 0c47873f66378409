// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutSession

/// A layout of all contents.
struct MadeLayout: Sendable {
  var prepared: any PreparedLayout
  /// The session's charge for it; nil = nobody else uses the layout.
  var lease: LayoutLease?
}

/// What was prepared for a session.
enum SuppliedLayout: Sendable {
  case whole(MadeLayout)
  /// The layout that a first frame shows while the rest is being prepared.
  case beginning(any PreparedLayout, rest: WholeLayout)
  /// A draft of the layout, until the whole is there.
  case draft(MadeLayout, AwaitedLayout)
  /// What is shown until the layout is there, with the charge for it if others use it.
  case standIn(PreparedLayoutRequest.StandIn, LayoutLease?, AwaitedLayout)

  /// What is shown.
  var prepared: any PreparedLayout {
    switch self {
    case .whole(let made), .draft(let made, _): made.prepared
    case .beginning(let prepared, _): prepared
    case .standIn(let standIn, _, _): standIn.prepared
    }
  }
}

/// The layout of all contents, being made while a first frame shows their beginning.
final class WholeLayout: Sendable {
  /// The identifier of the request.
  let id: UInt64
  private let wait: TimedWait
  private let making: Task<MadeLayout, any Error>

  /// - Parameter id: the identifier of the request.
  init(id: UInt64, _ make: @escaping @Sendable () async throws -> MadeLayout) {
    self.id = id
    let wait = TimedWait()
    self.wait = wait
    making = Task {
      defer { wait.note() }
      return try await make()
    }
  }

  /// Whether the layout is made, or cannot be, before `patience` is over. Call at most once.
  func isMade(within patience: Duration, by clock: SessionClock) async -> Bool {
    await wait.happens(within: patience, by: clock)
  }

  /// Waits for the layout. Cancelling the waiting task cancels the making.
  func value() async throws -> MadeLayout {
    try await withTaskCancellationHandler {
      try await making.value
    } onCancel: {
      making.cancel()
    }
  }

  func cancel() { making.cancel() }
}
