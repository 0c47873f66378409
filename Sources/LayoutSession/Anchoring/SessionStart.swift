// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// Where a session begins, if not at an offset.
public enum SessionStart: Hashable, Sendable {
  /// At an element. A cell with the kind "" in its key is found by its index path alone. `nearest`
  /// scrolls as little as necessary from the start of the content.
  case element(ElementKey, at: ScrollPosition)
  /// At the cell of the item with a key. If the item is hidden in an outline, `reveals` says
  /// whether its ancestors are expanded first.
  case item(key: String, at: ScrollPosition, reveals: Bool = false)
  /// At an edge of the content.
  case edge(ContentEdge)
  /// At a fraction of the scrollable distance: from 0, the start of the content, to 1, its end. If
  /// scrolling snaps, at the nearest resting place.
  case fraction(Double)
}

/// An edge of the content along its scroll axis, or along both axes if it scrolls both ways; raw
/// values are those of the contract.
public enum ContentEdge: UInt8, Hashable, Sendable, CaseIterable {
  /// The top, or the leading edge.
  case start = 1
  /// The bottom, or the trailing edge.
  case end = 2
}

/// The start of a session while it is in force: until the first frame, and after that while the
/// viewport rests there.
struct StartState: Sendable {
  /// What the layout is asked to find.
  enum Place: Sendable {
    /// The offset that shows an element.
    case element(ElementKey, at: ScrollPosition)
    /// The offset at a fraction of the scrollable distance.
    case fraction(Double)
  }

  /// What the client asked for.
  let wish: SessionStart
  /// The request in terms of the current contents.
  var place: Place
  /// The offset that the newest frame led to; nil = no frame was built.
  var offset: Point?
  /// The offset that it gave to the element's section, which scrolls by itself; nil = the section's
  /// start, or there is no such section.
  var sectionOffset: Double?
  /// What the client has to be told about the section's scrolling; nil = nothing.
  var untold: ScrollTarget?
  /// Whether the layout of the first frame had no such element.
  var isMissing = false

  /// Whether this is the very start of the content.
  var isVeryStart: Bool { if case .fraction(0) = place { true } else { false } }

  /// The start after a change of the contents; nil = its element is gone.
  func following(_ change: ContentsChange) -> StartState? {
    guard case .element(var key, let position) = place else { return self }
    guard let path = change.newPlace(ofOld: key.indexPath) else { return nil }
    key.indexPath = path
    var moved = self
    moved.place = .element(key, at: position)
    return moved
  }
}
