// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// Which elements have been seen for as long as a rule requires, and which of them are no longer
/// seen.
public struct VisibilityChange: Hashable, Sendable {
  /// An element that has been seen for as long as a rule requires.
  public struct Sighting: Hashable, Sendable {
    /// Counts the sightings of the session, from 1 on.
    public var number: UInt64
    /// The index of the rule.
    public var rule: Int
    /// The element, at the data version of the change.
    public var key: ElementKey
    /// The key of a cell's item; "" = it has none, or the client did not ask for item keys.
    public var itemKey: String
    /// The element's slot after the newest frame.
    public var slot: UInt32
    /// For how long the element has been seen by now.
    public var seenFor: Duration

    /// A sighting with the given values.
    public init(
      number: UInt64,
      rule: Int,
      key: ElementKey,
      itemKey: String = "",
      slot: UInt32,
      seenFor: Duration
    ) {
      self.number = number
      self.rule = rule
      self.key = key
      self.itemKey = itemKey
      self.slot = slot
      self.seenFor = seenFor
    }
  }

  /// The end of a sighting.
  public struct End: Hashable, Sendable {
    /// The number of the sighting.
    public var number: UInt64
    /// For how long the element was seen.
    public var seenFor: Duration

    /// An end with the given values.
    public init(number: UInt64, seenFor: Duration) {
      self.number = number
      self.seenFor = seenFor
    }
  }

  /// Whether the client forgets all sightings that are not in `began`.
  public var isReset: Bool
  /// The data version of the newest frame, to which the keys refer.
  public var dataVersion: UInt64
  /// New sightings, in order of rules, then of index paths.
  public var began: [Sighting]
  /// Sightings that are over.
  public var ended: [End]

  /// A change with the given values.
  public init(
    isReset: Bool = false,
    dataVersion: UInt64 = 0,
    began: [Sighting] = [],
    ended: [End] = []
  ) {
    self.isReset = isReset
    self.dataVersion = dataVersion
    self.began = began
    self.ended = ended
  }

  /// Whether there is no change.
  public var isEmpty: Bool { began.isEmpty && ended.isEmpty }
}
