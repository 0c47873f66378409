// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// Where a session begins, other than at an offset.
public enum SessionStart: Hashable, Sendable {
  /// Where an element is seen. A cell is found by its index path alone where the kind of the key is "".
  /// `nearest` scrolls as little as that takes from the start of the content.
  case element(ElementKey, at: ScrollPosition)
  /// The same with the cell of the item that has a key. Where it is hidden in an outline, `reveals` says
  /// whether what hides it is expanded first.
  case item(key: String, at: ScrollPosition, reveals: Bool = false)
  /// An edge of the content.
  case edge(ContentEdge)
  /// How much of the way that the content can be scrolled lies behind: from 0, its start, to 1, its end.
  /// Where scrolling snaps, the nearest place at which it rests.
  case fraction(Double)
}

/// An edge of the content along the axis along which it scrolls, or along both where it scrolls both
/// ways; raw values are those of the contract.
public enum ContentEdge: UInt8, Hashable, Sendable, CaseIterable {
  /// The top, or the leading edge.
  case start = 1
  /// The bottom, or the trailing edge.
  case end = 2
}

/// The start of a session, as long as it holds: until the first frame, and then as long as the viewport
/// rests there.
struct HeldStart: Sendable {
  /// What a layout is asked for.
  enum Place: Sendable {
    /// The offset that shows an element.
    case element(ElementKey, at: ScrollPosition)
    /// The offset at a part of the way that the content can be scrolled.
    case fraction(Double)
  }

  /// What the client asked for.
  let wish: SessionStart
  /// The same in the current contents.
  var place: Place
  /// The offset that the newest frame led to; nil = no frame was built.
  var offset: Point?
  /// The offset that it gave the section of its element, which scrolls by itself; nil = its start, or none.
  var sectionOffset: Double?
  /// What the client has to be told of that; nil = nothing.
  var untold: ScrollTarget?
  /// Whether the layout of the first frame had no such element.
  var isMissing = false

  /// Whether this is the very start of the content.
  var isVeryStart: Bool { if case .fraction(0) = place { true } else { false } }

  /// The start after a change of the contents; nil = its element is gone.
  func following(_ change: ContentsChange) -> HeldStart? {
    guard case .element(var key, let position) = place else { return self }
    guard let path = change.newPlace(ofOld: key.indexPath) else { return nil }
    key.indexPath = path
    var moved = self
    moved.place = .element(key, at: position)
    return moved
  }
}
