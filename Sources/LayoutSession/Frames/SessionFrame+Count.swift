// SPDX-License-Identifier: Apache-2.0

extension SessionFrame {
  /// The number of elements in the frame, including those of its transition.
  public var elementCount: Int {
    upserts.count + (transition.map { $0.appearing.count + $0.disappearing.count } ?? 0)
  }
}
