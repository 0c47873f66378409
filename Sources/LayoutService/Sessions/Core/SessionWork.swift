// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting

/// What has to be done before a session can go on.
///
/// Rare cases are behind a reference, because their values are large and their size is unknown to
/// the compiler: each copy on the path of a scroll step would take memory of the task.
enum SessionWork: Sendable {
  /// Write these responses in order, once the client has taken earlier writes; none = only wait for
  /// that.
  ///
  /// - Parameters:
  ///   - mayWait: whether the write may have to wait for the client to read.
  ///   - restingUntil: when the session has work again; nil = at once.
  case write([EncodedResponse], mayWait: Bool, restingUntil: ContinuousClock.Instant?)
  case commit(SessionCommit)
  case prepare(Preparation)
  /// Do something that takes long, when it is the session's turn.
  case turn(SessionTurn.Kind)
  /// Nothing, until something arrives or the deadline passes.
  case rest(until: ContinuousClock.Instant)
  case end(SessionEnd)

  /// Whether the session rests, at once or when its responses are written.
  var isRest: Bool {
    switch self {
    case .rest: true
    case .write(_, _, let rest): rest != nil
    default: false
    }
  }
}

/// A session's turn on an engine thread, for work that takes long.
enum SessionTurn: Sendable {
  /// Do work that cannot be paused: process one large request, or as many others as fit, follow
  /// commits or sizes, or offer sizes.
  case uninterrupted
  /// Build a frame, within these limits.
  case building(LayoutWork)

  enum Kind: Hashable, Sendable {
    case uninterrupted
    case building
  }
}

/// What a session asks of collections and waits for.
final class SessionCommit: Sendable {
  enum Task: Sendable {
    /// A batch for the session's collection.
    case batch(UpdateBatch)
    /// Items of another collection, which is named, that move to the session's.
    case transfer(ItemTransfer, from: String)
    /// Keys of items in another collection that are looked up.
    case lookUp(ForeignKeys)
  }

  let task: Task
  /// The session's collection.
  let collection: LiveCollection
  /// The number of the event that asked for it.
  let seq: UInt64
  /// The session's account.
  let account: Account
  /// Whether the session has much that follows what was committed, so that its outcome is for the
  /// session's turn.
  let takesLongToSettle: Bool

  init(
    _ task: Task,
    of collection: LiveCollection,
    seq: UInt64,
    account: Account,
    takesLongToSettle: Bool = false
  ) {
    self.takesLongToSettle = takesLongToSettle
    self.account = account
    self.task = task
    self.collection = collection
    self.seq = seq
  }
}

/// The outcome of what a session waited for.
enum SessionOutcome: Sendable {
  case update(UpdateOutcome)
  /// The items that were found in another collection, which is named.
  case found(DraggedItems, in: String)
  /// The event is refused for a reason outside the session.
  case failed(LayoutProblem)
}

/// A layout to be prepared: the session's request, behind a reference, with what the shell needs to
/// ask the engine for it.
final class Preparation: Sendable {
  let request: PreparedLayoutRequest
  /// nil = private contents.
  let collection: LiveCollection?
  /// The sizes that the session shares; nil = none.
  let group: MeasurementGroup?
  let id: UInt64
  let hasBeginning: Bool
  /// The number of items in the contents.
  let itemCount: Int
  /// The whole layout that the first frame did not wait for and that is wanted now.
  let begun: WholeLayout?
  /// The layout that the session awaits already, if its layout and container are the same.
  let awaited: AwaitedLayout?
  /// The session's account.
  let account: Account
  /// Whether the session has much to update when it takes over the layout.
  let takesLongToSupply: Bool

  init(
    _ request: PreparedLayoutRequest,
    of collection: LiveCollection?,
    group: MeasurementGroup? = nil,
    begun: WholeLayout?,
    awaited: AwaitedLayout? = nil,
    account: Account,
    takesLongToSupply: Bool = false
  ) {
    self.takesLongToSupply = takesLongToSupply
    self.awaited = awaited.flatMap { $0.isOf(request) ? $0 : nil }
    self.request = request
    self.collection = collection
    self.group = group
    id = request.id
    hasBeginning = request.hasBeginning
    itemCount = request.contents.itemCount
    self.begun = begun
    self.account = account
  }

  /// Whether the session shows what it has while the layout takes long. Not for contents that
  /// nobody shares: a layout of older ones would be of no use there, so it is waited for.
  var mayStandIn: Bool {
    request.hasStandIn && request.derivation == nil && request.isShareable && collection != nil
  }

  /// The preparation of what the session has shown last, with an account of its own, so that it
  /// takes turns with the layout instead of waiting for it; nil = nothing was shown, or it comes
  /// from a provider.
  var standIn: Preparation? {
    guard let request = request.standInRequest,
      !(request.configuration.layout is any FetchedLayout)
    else { return nil }
    return Preparation(
      request,
      of: collection,
      group: group,
      begun: nil,
      account: account.child(.call)
    )
  }

  /// The request that can be shared with other sessions; nil = no other session would want it.
  var shared: PreparationRequest? {
    guard request.isShareable, let collection else { return nil }
    return PreparationRequest(request, of: collection, group, account: account)
  }
}

/// What a session did, for the log line at its end.
struct SessionCounts: Sendable {
  var events = 0
  var refusedEvents = 0
  var frames = 0
  var keyframes = 0
  var elements = 0
  var responses = 0
}
