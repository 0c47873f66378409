// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import LayoutSession

extension ViewportSession {
  /// Takes over what was committed to the collection meanwhile.
  ///
  /// - Returns: when the oldest of these commits was made (nil = there are none), and whether there
  ///   were too many, so that the session was reset.
  /// - Throws: COLLECTION_NOT_FOUND once it is deleted.
  @discardableResult
  mutating func catchUp(
    with collection: LiveCollection
  ) throws(LayoutProblem) -> (oldest: ContinuousClock.Instant?, isReset: Bool) {
    let catchUp: CatchUp
    do throws(StoreError) { catchUp = try collection.catchUp(from: dataVersion) } catch {
      throw LayoutProblem(error)
    }
    let snapshot = catchUp.snapshot
    guard snapshot.record.dataVersion != dataVersion else { return (nil, false) }
    guard let changes = catchUp.changes else {
      collectionReset(contents: snapshot.contents, version: snapshot.record.dataVersion)
      return (catchUp.oldest, true)
    }
    collectionChanged(changes.map { (change: $0.change, version: $0.version) })
    return (catchUp.oldest, false)
  }

  /// Takes over what was committed to the collection since, and the sizes that were shared.
  ///
  /// - Returns: the results of reports that waited, and when the oldest batch was committed; nil =
  ///   none was.
  /// - Throws: COLLECTION_NOT_FOUND once the collection is deleted.
  mutating func catchUp(
    with share: MeasurementShare
  ) throws(LayoutProblem) -> (messages: [SessionMessage], oldest: ContinuousClock.Instant?) {
    let catchUp: MeasurementGroup.CatchUp
    let oldest = share.collection.oldestCommit(after: dataVersion)
    do throws(StoreError) {
      catchUp = try share.group.catchUp(from: sharedVersion, with: share.collection)
    } catch { throw LayoutProblem(error) }
    switch catchUp {
    case .reset(let shared): return (sharedReset(to: shared), oldest)
    case .changes(let changes): return (sharedChanged(changes), oldest)
    }
  }
}
