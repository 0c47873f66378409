// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

extension ViewportSession {
  // MARK: - Sessions in the same state

  /// Whether a session that was opened with the same parameters, and has made the same frames
  /// since, is in the same state: everything that it shows follows from these, and from the commits
  /// of its collection.
  ///
  /// Valid only while the client has sent nothing but acknowledgements for which `acknowledge`
  /// returned false.
  public var followsFromOpening: Bool {
    isShared && !isClosed && !contents.isDerived && !contents.isSharing && !contents.hasOwnRows
      && pendingExpansions == nil && start == nil && velocity == nil && target == nil
      && prefetching.isEmpty && sightings.isEmpty && prepared?.isProvisional != true
  }

  /// The number of the layout that is shown, as the owner passed it to `supply`; nil = another
  /// layout has to be supplied, or the one shown is not the final one.
  public var finishedLayout: UInt64? {
    guard isPrepared, let box = presentedBox, !box.value.isDraft else { return nil }
    return box.pinned.identity
  }
}
