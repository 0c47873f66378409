// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

extension GridLanesLayout: SectionedLayout {
  /// "grid_lanes".
  public var kindName: String { "grid_lanes" }

  /// Items are visited in order, whatever their lanes.
  public var appendsInOrder: Bool { true }

  /// An edit moves all items behind it.
  public var hasDrafts: Bool { true }
  /// And so their marks, too.
  public var sharesUnchangedParts: Bool { false }

  /// Whether sections begin with their first items.
  public var placesInOrder: Bool { !fillReverse }

  /// Whether some kinds of cells have a placement.
  public var usesCellKinds: Bool { !placements.isEmpty }

  /// Headers and footers.
  public var elementKinds: [String] { SectionSurroundings.elementKinds }

  /// Pinned elements, if headers pin; otherwise nothing.
  public var scrollDependence: ScrollDependence {
    headersPinToVisibleBounds ? .pinnedElements : .none
  }

  /// The distance between the items of a lane, in points.
  public var pageSpacing: Double { itemSpacing }

  /// How the cells of each kind are placed, and where lanes lie.
  ///
  /// - Complexity: O(kinds of cells + placements)
  public func plan(for environment: SectionEnvironment) -> GridLanesPlan {
    GridLanesPlan(
      placements: CellPlacements(placements, cellKindNames: environment.cellKindNames),
      lanes: SharedLanes()
    )
  }

  /// The plan for more kinds of cells. Sections that stay as they are keep sharing lanes with
  /// others.
  public func plan(for environment: SectionEnvironment, after old: GridLanesPlan) -> GridLanesPlan {
    GridLanesPlan(
      placements: CellPlacements(placements, cellKindNames: environment.cellKindNames),
      lanes: old.lanes
    )
  }

  /// The memory that a plan takes, in bytes: an estimate.
  public func byteCount(of plan: GridLanesPlan) -> Int { plan.byteCount }

  /// Stacks the items of a section.
  ///
  /// - Complexity: O(items · lanes), or O(1) if all items have one length.
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: GridLanesPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    wrap(section, plan: plan, in: environment, work: work) {
      ColumnsBody(section.items, rule: $0, work: work)
    }
  }

  /// Stacks items again from the first edited one on, unless metrics changed: then all items.
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: GridLanesPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    guard !change.metricsChanged else {
      return solve(section, at: index, plan: plan, in: environment, work: work)
    }
    return wrap(section, plan: plan, in: environment, work: work) {
      $0.updated(solved.body, to: section.items, by: change, work: work)
        ?? ColumnsBody(section.items, rule: $0, work: work)
    }
  }

  /// The section around a body.
  ///
  /// - Parameter body: makes the body of items with different lengths.
  private func wrap(
    _ section: SectionContents,
    plan: GridLanesPlan,
    in environment: SectionEnvironment,
    work: LayoutWork,
    body: (GridLanesRule) -> any SectionBody
  ) -> SolvedSection {
    // A header's length lies along the scroll axis, whichever that is.
    let header = environment.axis.size(main: headerHeight, cross: 0)
    let footer = environment.axis.size(main: footerHeight, cross: 0)
    let surroundings = SectionSurroundings(
      section.metrics,
      inset: sectionInset,
      headerSize: header,
      footerSize: footer,
      pinsHeader: headersPinToVisibleBounds,
      pinsFooter: false,
      in: environment
    )
    let rule = GridLanesRule(
      self,
      metrics: section.metrics,
      plan: plan,
      extent: surroundings.crossLength(in: environment),
      environment: environment,
      work: work
    )
    let uniform = UniformColumnsBody(section.items, rule: rule)
    let solved: (any SectionBody)? =
      section.items.isEmpty ? nil : uniform as (any SectionBody)? ?? body(rule)
    return surroundings.section(
      solved,
      itemCount: section.items.count,
      isShareable: uniform != nil,
      in: environment
    )
  }
}

/// What the sections of grid lanes have in common, for the contents of one version.
public struct GridLanesPlan: Sendable {
  let placements: CellPlacements
  let lanes: SharedLanes

  var byteCount: Int { placements.byteCount + lanes.byteCount }
}

/// How the cells of each kind are placed in grid lanes.
struct CellPlacements: Hashable, Sendable {
  /// For each kind of cells, the number of lanes that a cell takes, and the first of them, counted
  /// from 0.
  struct Placement: Hashable, Sendable {
    var span: Int
    var lane: Int?

    /// One lane, whichever.
    static let anywhere = Placement(span: 1, lane: nil)
  }

  /// By kinds; empty = all cells are placed alike.
  private let byKind: [Placement]
  /// Whether some cells take several lanes.
  let haveSpans: Bool

  init(_ placements: [GridLanePlacement], cellKindNames: [String]) {
    let used = placements.prefix(GridLanesLayout.maximumPlacementCount)
    let byName = Dictionary(used.map { ($0.cellKind, $0) }) { first, _ in first }
    byKind =
      byName.isEmpty
      ? []
      : cellKindNames.map { name in
        guard let placement = byName[name] else { return .anywhere }
        let lane = placement.lane.map { min(max($0, 1), GridLanesLayout.maximumLaneCount) - 1 }
        return Placement(span: max(placement.span, 1), lane: lane)
      }
    haveSpans = byKind.contains { $0.span > 1 }
  }

  /// Whether all cells are placed alike.
  var isEmpty: Bool { byKind.isEmpty }

  var byteCount: Int { byKind.count * MemoryLayout<Placement>.stride }

  /// How cells of a kind are placed.
  func placement(ofKind kind: Int) -> Placement {
    byKind.indices.contains(kind) ? byKind[kind] : .anywhere
  }
}
