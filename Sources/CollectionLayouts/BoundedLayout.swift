// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// A layout that reports its steps to a `LayoutWork`, with or without limits. It implements
/// preparing and updating once; the methods of `CollectionLayout` call these.
public protocol BoundedLayout: CollectionLayout {
  /// Places all elements.
  ///
  /// - Parameter work: told of every chunk of items. Once it has stopped, any prepared layout may
  ///   be returned, because nobody uses it.
  func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout

  /// Derives the prepared layout for `change.new`: see `CollectionLayout.update(_:by:)`.
  ///
  /// - Parameter work: as for `placed(_:within:)`.
  func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout
}

extension BoundedLayout {
  /// Places all elements.
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    placed(context, within: .unlimited)
  }

  /// Places all elements, and checks the limits of `work` while it does.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let prepared = placed(context, within: work)
    try work.throwIfStopped()
    return prepared
  }

  /// Derives the prepared layout for `change.new`.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    derived(from: prepared, by: change, within: .unlimited)
  }

  /// Derives the prepared layout for `change.new`, and checks the limits of `work` while it does.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let updated = derived(from: prepared, by: change, within: work)
    try work.throwIfStopped()
    return updated
  }
}
