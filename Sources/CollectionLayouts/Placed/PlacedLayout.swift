// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

/// A layout whose elements have been placed already: it makes an index of them.
public struct PlacedLayout: BoundedLayout {
  /// What was placed.
  public let placement: Placement
  /// The name of the layout that placed it.
  public let kindName: String

  /// A layout of these elements.
  ///
  /// - Parameter kindName: the name of the layout that placed them.
  public init(_ placement: Placement, kindName: String) {
    self.placement = placement
    self.kindName = kindName
  }

  /// Whether both are of one placement.
  public static func == (a: PlacedLayout, b: PlacedLayout) -> Bool {
    a.placement === b.placement && a.kindName == b.kindName
  }

  /// Hashes the identity of the placement.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(placement))
    hasher.combine(kindName)
  }

  /// Indexes the elements, if they are of these contents.
  ///
  /// - Complexity: O(elements)
  public func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout {
    PreparedPlacement(placement, context, work: work)
  }

  /// Elements that still exist keep their places.
  ///
  /// - Complexity: O(elements · log n)
  public func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    Self.following(prepared, by: change, within: work)
  }

  /// What was placed for a prepared layout; nil = it was made in another way.
  public static func placement(of prepared: any PreparedLayout) -> Placement? {
    (prepared as? PreparedPlacement)?.placement
  }

  /// Elements that still exist keep their places; none if another layout placed them.
  ///
  /// - Complexity: O(elements · log n)
  public static func following(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    let placement =
      (prepared as? PreparedPlacement)?.placement.following(change, within: work)
      ?? .empty(change.new)
    return PreparedPlacement(placement, context, work: work)
  }
}
