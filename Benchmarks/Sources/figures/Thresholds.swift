// SPDX-License-Identifier: Apache-2.0

/// Ratios that no change may exceed: measured times over that of breaking one item's line by hand,
/// in the same run, so that they hold on any machine. With room for noise.
enum Threshold: String, CaseIterable {
  case prepareFlow = "prepare flow, an item"
  case prepareWaterfall = "prepare waterfall, an item"
  case drafted = "one edit of a waterfall, to the visible elements"
  case query = "elements in a rect"
  case edit = "one insert or delete"
  case batch = "1,000 inserts, each"
  case scrollStep = "one scroll step, packed"

  var limit: Double {
    switch self {
    case .prepareFlow: 2
    case .prepareWaterfall: 4
    case .drafted: 90_000
    case .query: 1500
    case .edit: 8000
    case .batch: 5000
    case .scrollStep: 2500
    }
  }
}
