// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutSession
internal import ResourceAccounting

extension PreparationRequest {
  /// The request of a session of a shared collection to the engine.
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
    // If the base is a draft, the cache may have a whole layout that is older than the draft but
    // newer than what the draft follows from. Then the older changes are needed too.
    if let base, !base.prepared.isDraft {
      // These changes cover every newer layout in the cache.
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
      // The collection may have moved on and forgotten the changes up to this version.
      if changes.last?.newVersion != request.version { changes = [] }
    }
    if changes.count < known.count { changes = known }
    self.init(
      contents: request.contents,
      version: ContentsVersion(
        identity: group?.identity ?? ContentsIdentity(collection.contentsIdentity),
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
