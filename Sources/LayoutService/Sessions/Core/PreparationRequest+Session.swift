// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutSession
internal import ResourceAccounting

extension PreparationRequest {
  /// What a session of a shared collection asks the engine for.
  ///
  /// - Parameter group: the sizes that the session shares; nil = none.
  init(
    _ request: PreparedLayoutRequest,
    of collection: LiveCollection,
    _ group: MeasurementGroup? = nil,
    account: Account
  ) {
    var changes: [VersionedChange]
    var base: Base?
    let isFetched = request.configuration.layout is any FetchedLayout
    var known: [VersionedChange] = []
    if !isFetched, let derivation = request.derivation, let start = derivation.baseVersion {
      base = Base(version: start, prepared: derivation.base)
      known = derivation.changes.enumerated().map {
        VersionedChange(newVersion: start + UInt64($0.offset) + 1, change: $0.element)
      }
    }
    // A whole layout that is newer than the one that a draft follows from may be older than the draft.
    if let base, !base.prepared.isDraft {
      // Whatever is in the cache and newer is within these changes.
      changes = known
    } else if let group {
      let base = request.contents.expansionBase
      changes = group.latestChanges(upTo: request.version).map {
        VersionedChange(newVersion: $0.newVersion, change: $0.change.rows(startingFrom: base))
      }
      if changes.last?.newVersion != request.version { changes = [] }
    } else {
      let all = collection.latest(changes: QuerySubjects.derivationChanges).changes ?? []
      changes = all.filter { $0.version <= request.version }
        .inRows(startingFrom: request.contents.expansionBase)
      // A collection that has gone on may no longer know what led here.
      if changes.last?.newVersion != request.version { changes = [] }
    }
    if changes.count < known.count { changes = known }
    self.init(
      contents: request.contents,
      version: ContentsVersion(
        identity: group?.identity ?? ContentsIdentity(collection.incarnation),
        number: request.version
      ),
      configuration: request.configuration,
      container: request.container,
      changes: changes,
      base: base,
      account: account
    )
    mayBeDraft = request.mayBeDraft
  }
}
