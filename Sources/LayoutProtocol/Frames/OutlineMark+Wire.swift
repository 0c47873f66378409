// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts

extension OutlineMark {
  /// The number of the contract's OutlineState.
  package var stateNumber: Int32 { isExpanded.map { $0 ? 2 : 1 } ?? 0 }

  /// - Parameter state: a number of OutlineState; unknown ones count as 0.
  package init(level: Int, state: Int32) {
    self.init(level: level, isExpanded: state == 1 ? false : state == 2 ? true : nil)
  }

  /// Reads a position.
  package init(_ message: Wire.OutlinePosition) {
    self.init(level: Int(message.level), state: Int32(clamping: message.state.rawValue))
  }
}

extension Wire.OutlinePosition {
  /// The message of a place; nil = a root that cannot be expanded.
  package init?(_ mark: OutlineMark) {
    guard mark != .none else { return nil }
    self.init()
    level = UInt32(clamping: mark.level)
    state = Wire.OutlineState(rawValue: Int(mark.stateNumber)) ?? .unspecified
  }
}
