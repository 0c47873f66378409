// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import LayoutGeometry

/// A question where to scroll.
public enum ScrollRequest: Hashable, Sendable {
  /// The user lifted the finger: where should scrolling that would end at `proposedOffset` rest?
  /// nil = at the place where it would end by itself from the current offset, given the velocity
  /// and deceleration. The velocity is the change of the offset in points per second. With a
  /// section, offsets and velocity are those of the section, along its axis.
  case release(
    proposedOffset: Point?,
    velocity: Point,
    section: Int?,
    deceleration: DecelerationRate = .normal
  )
  /// Which offset shows an element?
  case element(ElementKey, at: ScrollPosition)
  /// Which offset shows the item with a key? If it is hidden in an outline, `reveals` says whether
  /// its ancestors are expanded first.
  case item(key: String, at: ScrollPosition, reveals: Bool = false)
  /// Which item does a step lead to, and which offset shows it?
  case neighbor(of: Origin, step: NeighborStep, at: ScrollPosition)

  /// Where a step begins.
  public enum Origin: Hashable, Sendable {
    /// At an element.
    case element(ElementKey)
    /// At the item with a key.
    case item(key: String)
    /// At a point in content coordinates.
    case point(Point)
    /// Nowhere, for steps to the first and the last item.
    case nowhere
  }

  /// The field of the contract that names the element in question, and what it names; nil = none
  /// is named.
  package var namedElement: (field: String, found: String)? {
    switch self {
    case .element(let key, _): ("element.key", key.found)
    case .item(let key, _, _): ("element.item_key", "\"\(key)\" found")
    case .neighbor(.element(let key), _, _): ("neighbor.key", key.found)
    case .neighbor(.item(let key), _, _): ("neighbor.item_key", "\"\(key)\" found")
    case .release, .neighbor: nil
    }
  }

  /// Why a question is refused whose element the layout does not have.
  package static let notPlaced = "the layout places no such element"
}

extension ElementKey {
  /// Names the element in a refusal.
  package var found: String {
    let name = kind.isEmpty ? "\(category)" : "\(category) \"\(kind)\""
    return "\(name) at \(indexPath) found"
  }
}
