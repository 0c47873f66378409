// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A step of reordering items by hand.
public enum InteractiveMovement: Hashable, Sendable {
  /// The user picks up an item.
  case begin(IndexPath)
  /// The user picks up several items, of which the first is the lead.
  case beginItems(MovementItems)
  /// The user brings items from elsewhere.
  case beginForeign(ForeignItems)
  /// The user moves what is held; the point is the centre of the lead, in content coordinates.
  case position(Point, wish: DropPreference = .init())
  /// What is held goes to a place, whatever lies under the user's finger. The path is the lead's
  /// after the move.
  case target(IndexPath, level: Int? = nil)
  /// What can be taken from now on, and where it may go.
  case rules(MovementRules)
  /// The user drops what is held: the move becomes a batch.
  case end
  /// The user lets go without moving anything.
  case cancel
}

/// Items to be picked up together, the lead first.
public enum MovementItems: Hashable, Sendable {
  /// By their places, in outlines among the rows.
  case paths([IndexPath])
  /// By their keys.
  case keys([String])
}

/// Items from elsewhere to be held, the lead first.
public enum ForeignItems: Hashable, Sendable {
  /// Items of another collection, by its name "collections/{collection}" and their keys. The owner
  /// of the session looks them up.
  case collection(String, keys: [String])
  /// Items that no collection has yet.
  case new(DraggedItems)
}

/// How the user wants to drop in an outline, besides the position.
public struct DropPreference: Hashable, Sendable {
  /// Whether what is held becomes a child of the row whose middle third the position lies on.
  public var nests: Bool
  /// The level that what is held is to have, as far as the place allows it; nil = that of its
  /// neighbour.
  public var level: Int?

  /// A wish with the given values; by default to become a neighbour.
  public init(nests: Bool = false, level: Int? = nil) {
    self.nests = nests
    self.level = level
  }
}

/// What a viewer can move by hand, and where to. Batches are not checked against these rules.
public struct MovementRules: Hashable, Sendable {
  /// Cell kinds whose items cannot be taken.
  public var fixedKinds: [String]
  /// Keys of items that cannot be taken.
  public var fixedKeys: [String]
  /// How many items can be taken at once, from 1 on; nil = `maxHeldItems`.
  public var mostItems: Int?
  /// Whether items stay within the section that they come from.
  public var staysInSection: Bool
  /// The sections to which items may go, each by the first entry that names it; empty = all of
  /// them.
  public var targets: [Target]

  /// A section, or some, that accept items.
  public struct Target: Hashable, Sendable {
    /// Which section is meant.
    public var section: Section
    /// The cell kinds that it accepts; empty = all.
    public var kinds: [String]
    /// The most items that the section may have after items from elsewhere were dropped, from 1 on;
    /// nil = any number.
    public var mostItems: Int?

    /// A section with the given limits; by default it accepts everything.
    public init(_ section: Section, kinds: [String] = [], mostItems: Int? = nil) {
      self.section = section
      self.kinds = kinds
      self.mostItems = mostItems
    }
  }

  /// Names sections.
  public enum Section: Hashable, Sendable {
    /// The section at an index. Sessions update the index after batches.
    case index(Int)
    /// The section with a key.
    case key(String)
    /// All sections with a layout name.
    case layoutName(String)
    /// A section that no longer exists.
    case gone
  }

  /// The most items that can be held at once, and the most entries of a list of rules.
  public static let maxHeldItems = 1000

  /// Rules with the given values; by default everything may be moved anywhere.
  public init(
    fixedKinds: [String] = [],
    fixedKeys: [String] = [],
    mostItems: Int? = nil,
    staysInSection: Bool = false,
    targets: [Target] = []
  ) {
    self.fixedKinds = fixedKinds
    self.fixedKeys = fixedKeys
    self.mostItems = mostItems
    self.staysInSection = staysInSection
    self.targets = targets
  }

  /// Roughly the memory that the rules use, in bytes.
  ///
  /// - Complexity: O(entries)
  public var byteCount: Int {
    func bytes(_ texts: [String]) -> Int { texts.reduce(0) { $0 + 48 + $1.utf8.count } }
    return MemoryLayout<MovementRules>.stride + bytes(fixedKinds) + bytes(fixedKeys)
      + targets.reduce(0) { $0 + MemoryLayout<Target>.stride + 160 + bytes($1.kinds) }
  }
}
