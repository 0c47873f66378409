// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Sizes that the renderer measured for self-sizing elements.
public struct MeasurementReport: Hashable, Sendable {
  /// The sequence number of the frame that was rendered when the sizes were measured. Slots that
  /// have been given to another element since then are ignored.
  public var observedFrame: UInt64
  /// The slots of the measured elements. Of two sizes for one slot the later one counts.
  public var slots: [UInt32]
  /// The size measured for each slot, in points.
  public var sizes: [Size]

  /// A report of the given sizes.
  public init(observedFrame: UInt64, slots: [UInt32], sizes: [Size]) {
    self.observedFrame = observedFrame
    self.slots = slots
    self.sizes = sizes
  }
}
