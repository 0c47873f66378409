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
/// What is rare stands behind a reference, for it is large, and of a size that the compiler does not
/// know: every copy on the way of a scroll step would take memory of the task.
enum SessionWork: Sendable {
  /// All in this order, once the client has taken what was written before; none = nothing but that.
  ///
  /// - Parameters:
  ///   - mayWait: whether the client has to read for that.
  ///   - restingUntil: when the session has to be looked at again; nil = at once.
  case write([EncodedResponse], mayWait: Bool, restingUntil: ContinuousClock.Instant?)
  case commit(SessionCommit)
  case prepare(Preparation)
  /// Something that takes long, when it is the session's turn.
  case turn(SessionTurn.Kind)
  /// Nothing, until something comes in or a moment passes.
  case rest(until: ContinuousClock.Instant)
  case end(SessionEnd)
}

/// The session's turn to do on a thread of the engine what takes long.
enum SessionTurn: Sendable {
  /// To work off one large request.
  case reading
  /// To build a frame, within these limits.
  case building(LayoutWork)

  enum Kind: Hashable, Sendable {
    case reading
    case building
  }
}

/// What a session needs of collections, and waits for.
final class SessionCommit: Sendable {
  enum Task: Sendable {
    /// A batch for the session's collection.
    case batch(UpdateBatch)
    /// Items of another collection, by its name, that go to the session's.
    case transfer(ItemTransfer, from: String)
    /// Items of another collection that are looked at.
    case lookUp(ForeignKeys)
  }

  let task: Task
  /// The session's.
  let collection: LiveCollection
  /// Of the event that brought it.
  let seq: UInt64
  /// Of the session.
  let account: Account
  /// Whether the session has much that follows what was committed, so that its outcome is for the session's turn.
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

/// What became of what a session waited for.
enum SessionOutcome: Sendable {
  case update(UpdateOutcome)
  /// Items of another collection, by its name.
  case found(DraggedItems, in: String)
  /// The event is refused for a reason that has nothing to do with the session.
  case failed(LayoutProblem)
}

/// A layout that is to be prepared: what the session requests, behind a reference, with what the shell needs
/// to ask the engine for it.
final class Preparation: Sendable {
  let request: PreparedLayoutRequest
  /// nil = private contents.
  let collection: LiveCollection?
  /// The sizes that the session shares; nil = none.
  let group: MeasurementGroup?
  let id: UInt64
  let hasBeginning: Bool
  /// Of the contents.
  let itemCount: Int
  /// What the first frame did not wait for, now wanted.
  let begun: WholeLayout?
  /// What the session awaits already, if it is of the same layout and container.
  let awaited: AwaitedLayout?
  /// Of the session.
  let account: Account
  /// Whether much in the session waits for the layout.
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

  /// What may be prepared for others as well; nil = nobody else would want it.
  var shared: PreparationRequest? {
    guard request.isShareable, let collection else { return nil }
    return PreparationRequest(request, of: collection, group, account: account)
  }
}

/// What a session did, for the log.
struct SessionCounts: Sendable {
  var events = 0
  var refusedEvents = 0
  var frames = 0
  var keyframes = 0
  var elements = 0
  var responses = 0
}
