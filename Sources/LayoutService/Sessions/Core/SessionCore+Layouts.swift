// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting

extension SessionCore {
  // MARK: - Layouts

  /// Changes to a named layout, which the session follows from then on.
  func takeLayout(
    named name: String,
    isAnimated: Bool,
    seq: UInt64,
    at now: Duration
  ) throws(ProtocolViolation) {
    // Private contents have no named layouts; the session says so.
    guard let collection else {
      let event = SessionEvent.namedLayout(name, isAnimated: isAnimated)
      return take(try independentSession.receive(event, seq: seq, at: now))
    }
    let source: StoredLayoutSource
    let stored: StoredLayout
    do throws(LayoutProblem) {
      source = try services.layouts.source(named: name, of: collection, field: "layout_name")
      stored = try services.layouts.read(source)
    } catch {
      _ = try independentSession.receive(.unsupported("refused"), seq: seq, at: now)
      return refuse(seq, error)
    }
    let change = LayoutChange(layout: stored.configuration, isOwn: false, isAnimated: isAnimated)
    let messages = try independentSession.receive(.layout(change), seq: seq, at: now)
    if !messages.isRefusal {
      followed = source.followed
      charges.use(stored)
    }
    take(messages)
  }

  /// Takes over the named layout that the session follows, if it was updated since.
  func followLayout() {
    guard let (layout, source) = newLayout else { return }
    followed?.revision = layout.revision
    // A layout that is not valid any more leaves the session with what it has.
    guard let stored = try? services.layouts.read(source) else { return }
    charges.use(stored)
    independentSession.follow(
      LayoutChange(layout: stored.configuration, isOwn: false, isAnimated: layout.isAnimated)
    )
  }

  /// The named layout that the session follows, if it was updated since.
  private var newLayout: (NamedLayout, StoredLayoutSource)? {
    guard let followed, let collection, !collection.isDeleted else { return nil }
    let record = collection.snapshot.record
    guard let layout = record.layout(followed.id), layout.revision != followed.revision else {
      return nil
    }
    return (layout, services.layouts.source(of: layout, in: record))
  }

  /// Whether that is for the session's turn: the layout has to be read first, or the client has
  /// much that changes.
  var takesLongToFollowLayout: Bool {
    guard let (_, source) = newLayout else { return false }
    return hasManyKinds || reading { $0.liveCount } > SessionLimits.frameElements
      || services.layouts.takesLong(source)
  }

  /// Takes the layout that is wanted from another session that had it made.
  ///
  /// - Returns: false = there is none.
  /// - Throws: QUOTA_MEMORY.
  func supplySuccessor(for request: PreparedLayoutRequest) throws -> Bool {
    guard whole == nil, awaited == nil else { return false }
    do throws(LimitExceeded) {
      guard let lease = try charges.successor(request, from: services.engine) else { return false }
      supply(.whole(MadeLayout(prepared: lease.prepared, lease: lease)), for: request)
      return true
    } catch { throw LayoutProblem(error) }
  }

  func prepare(_ request: PreparedLayoutRequest) -> SessionWork {
    var begun = whole
    whole = nil
    if let other = begun, other.id != request.id {
      other.cancel()
      begun = nil
    }
    return .prepare(
      Preparation(
        request,
        of: collection,
        group: share?.group,
        begun: begun,
        awaited: awaited,
        account: charges.account,
        takesLongToSupply: reading { $0.takesLongToSupply }
      )
    )
  }
}
