// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts

/// A row that scrolls by itself, and the places where it can come to rest, all of which are tried.
struct NaiveRow {
  /// The lengths of the groups.
  var groups: [Double]
  var spacing: Double
  /// What the section's insets leave of the container.
  var visible: Double

  /// Where the groups start.
  private var edges: [Double] {
    groups.indices.map { groups[..<$0].reduce(0) { $0 + $1 + spacing } }
  }

  private var most: Double {
    max(0, groups.reduce(0) { $0 + $1 + spacing } - spacing - visible)
  }

  /// The places in order.
  func rests(_ scrolling: OrthogonalScrolling) -> [Double] {
    switch scrolling {
    case .none, .continuous: return []
    case .paging:
      var pages: [Double] = []
      while Double(pages.count) * visible < most { pages.append(Double(pages.count) * visible) }
      return pages + [most]
    case .continuousGroupLeadingBoundary, .groupPaging:
      return edges.map { min($0, most) } + [most]
    case .groupPagingCentered:
      return zip(edges, groups).map { $0 + $1 / 2 - visible / 2 }
    }
  }

  /// Where it rests if it would end at `proposed` by itself.
  func rest(_ scrolling: OrthogonalScrolling, _ proposed: Double) -> Double {
    func nearest(_ places: [Double], to target: Double) -> Double {
      places.min { abs($0 - target) < abs($1 - target) } ?? 0
    }
    let target = min(max(proposed, 0), most)
    switch scrolling {
    case .none, .continuous: return target
    case .paging where target < most:
      return min((target / visible).rounded() * visible, most)
    case .continuousGroupLeadingBoundary where target < most, .groupPaging where target < most:
      return min(nearest(edges, to: target), most)
    case .paging, .continuousGroupLeadingBoundary, .groupPaging: return most
    case .groupPagingCentered: return nearest(rests(scrolling), to: proposed)
    }
  }
}
