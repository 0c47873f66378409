// SPDX-License-Identifier: Apache-2.0

/// What an identity may do with a collection. Each role includes those before it.
public enum Role: String, CaseIterable, Comparable, Codable, Sendable {
  /// To see it: open, query, watch, export, list.
  case view
  /// To share measured sizes with all viewers, if the collection shares them.
  case measure
  /// To change its contents and its description: apply, import, update, named layouts.
  case edit
  /// To create and to delete it.
  case admin

  private var rank: Int {
    switch self {
    case .view: 0
    case .measure: 1
    case .edit: 2
    case .admin: 3
    }
  }

  /// Whether the second role includes the first one and more.
  public static func < (a: Role, b: Role) -> Bool { a.rank < b.rank }
}
