// SPDX-License-Identifier: Apache-2.0

/// What scrolling comes to rest on, and where in the viewport.
public struct ScrollTargets: Hashable, Sendable {
  /// What scrolling comes to rest on.
  public enum Unit: UInt8, Hashable, Sendable, CaseIterable {
    /// Items.
    case items
    /// The groups of compositional sections; a section that scrolls by itself is one group. In
    /// layouts without groups it is items.
    case groups
  }

  /// What scrolling comes to rest on; nil = as `LayoutOptions.scrollSnap` says.
  public var unit: Unit?
  /// Which point of a target meets which point of the viewport less its insets, as a part of both,
  /// 0…1: 0 = their leading edges meet, 0.5 = their centres, 1 = their trailing edges.
  public var anchor: Double
  /// Other anchors for the cells of these kinds; at most `maximumKindAnchors`.
  public var kindAnchors: [String: Double]
  /// Whether a release ends at most one target away from where the viewport is. It also holds for
  /// `LayoutOptions.scrollSnap`, for the layout's own rule and for sections that scroll by
  /// themselves.
  public var isLimitedToOne: Bool

  /// Makes targets; the defaults change nothing.
  public init(
    unit: Unit? = nil,
    anchor: Double = 0,
    kindAnchors: [String: Double] = [:],
    isLimitedToOne: Bool = false
  ) {
    self.unit = unit
    self.anchor = anchor
    self.kindAnchors = kindAnchors
    self.isLimitedToOne = isLimitedToOne
  }

  /// The most entries that `kindAnchors` may have.
  public static let maximumKindAnchors = 64

  func validate(beside snap: ScrollSnap?, findings: inout LayoutFindings) {
    let field = "scroll_targets"
    let allowed = "numbers from 0 to 1"
    findings.expect((0 ... 1).contains(anchor), "\(field).anchor", found: anchor, allowed: allowed)
    findings.expectCount(
      kindAnchors.count,
      of: "entries",
      atMost: Self.maximumKindAnchors,
      "\(field).kind_anchors"
    )
    for (kind, anchor) in kindAnchors.sorted(by: { $0.key < $1.key }) {
      findings.expect(
        (0 ... 1).contains(anchor),
        "\(field).kind_anchors[\(kind)]",
        found: anchor,
        allowed: allowed
      )
    }
    if unit != nil, snap != nil {
      findings.reject("\(field).unit", "is given beside scroll_snap; one of them is allowed")
    }
    if unit != .items, !kindAnchors.isEmpty {
      findings.reject("\(field).kind_anchors", "are given; they are allowed with unit items only")
    }
    if unit == nil, anchor != 0 {
      findings.reject("\(field).anchor", "is \(anchor); without a unit 0 is allowed")
    }
  }
}

/// Where scrolling of the whole content comes to rest, unless the layout has a rule of its own.
enum SnapRule {
  case anywhere
  case pages
  /// On an item, with these anchors.
  case items(ItemAnchors)
  /// On a group of items, with this anchor.
  case groups(Double)
}

/// Which point of a cell meets which point of the viewport, as a part of both.
struct ItemAnchors {
  var usual: Double
  var byKind: [String: Double] = [:]

  /// The anchors of cells, by the number of their kind.
  func numbered(_ cellKindNames: [String]) -> NumberedAnchors {
    NumberedAnchors(
      usual: usual,
      byKind: byKind.isEmpty ? [] : cellKindNames.map { byKind[$0] ?? usual }
    )
  }
}

/// The anchors of cells, by the number of their kind.
struct NumberedAnchors {
  let usual: Double
  /// Empty = all have the usual one.
  let byKind: [Double]
  let least: Double
  let greatest: Double

  init(usual: Double, byKind: [Double]) {
    self.usual = usual
    self.byKind = byKind
    least = byKind.min() ?? usual
    greatest = byKind.max() ?? usual
  }

  func anchor(ofKind kind: Int) -> Double {
    byKind.indices.contains(kind) ? byKind[kind] : usual
  }
}

extension LayoutOptions {
  /// nil = the layout's own rule.
  var snapRule: SnapRule? {
    switch scrollTargets?.unit {
    case .items:
      let targets = scrollTargets ?? ScrollTargets()
      return .items(ItemAnchors(usual: targets.anchor, byKind: targets.kindAnchors))
    case .groups: return .groups(scrollTargets?.anchor ?? 0)
    case nil: break
    }
    switch scrollSnap {
    case nil: return nil
    case .some(.none): return .anywhere
    case .itemCenter: return .items(ItemAnchors(usual: 0.5))
    case .itemLeading: return .items(ItemAnchors(usual: 0))
    case .page: return .pages
    }
  }

  /// Whether a release ends at most one target away from where the viewport is.
  var endsAtNextTarget: Bool { scrollTargets?.isLimitedToOne ?? false }
}
