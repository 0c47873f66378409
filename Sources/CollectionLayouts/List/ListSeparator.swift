// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The separators of a row: whether and where they are shown.
public struct ListSeparator: Hashable, Sendable {
  /// Whether a separator is shown.
  public enum Visibility: UInt8, Hashable, Sendable, CaseIterable {
    /// Below a row unless it is the last of its section; not above a row.
    case automatic = 1
    /// It is.
    case visible
    /// It is not.
    case hidden
  }

  /// Visibility of the separator above the row. Default: automatic.
  public var topVisibility: Visibility
  /// Visibility of the separator below the row. Default: automatic.
  public var bottomVisibility: Visibility
  /// Distances by which the separator above the row is smaller than the strip at the row's start,
  /// in points. Default 0.
  public var topInsets: EdgeInsets
  /// How much smaller the separator below the row is than the strip behind the row, on each side,
  /// in points. Default 0.
  public var bottomInsets: EdgeInsets

  /// Makes separators; the defaults show one between rows, as wide as they are.
  public init(
    topVisibility: Visibility = .automatic,
    bottomVisibility: Visibility = .automatic,
    topInsets: EdgeInsets = .zero,
    bottomInsets: EdgeInsets = .zero
  ) {
    self.topVisibility = topVisibility
    self.bottomVisibility = bottomVisibility
    self.topInsets = topInsets
    self.bottomInsets = bottomInsets
  }

  /// Whether a row has the separator above it.
  var isAbove: Bool { topVisibility == .visible }

  /// Whether a row has the separator below it.
  ///
  /// - Parameter isLast: whether it is the last row of its section.
  func isBelow(_ isLast: Bool) -> Bool {
    switch bottomVisibility {
    case .automatic: !isLast
    case .visible: true
    case .hidden: false
    }
  }
}
