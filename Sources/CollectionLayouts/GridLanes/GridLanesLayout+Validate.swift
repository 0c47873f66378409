// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

extension GridLanesLayout {
  /// Rejects layouts without lanes, lanes and placements beyond the limits, and spacings, sizes and
  /// lengths that are negative or not finite. Warns if there is no room for the lanes.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    validateLanes(&findings)
    findings.expectNotNegative(laneSpacing, "lane_spacing")
    findings.expectNotNegative(itemSpacing, "item_spacing")
    findings.expectNotNegative(flowTolerance, "flow_tolerance")
    validatePlacements(&findings)
    findings.expectFinite(sectionInset, "section_inset")
    findings.expectNotNegative(headerHeight, "header_height")
    findings.expectNotNegative(footerHeight, "footer_height")
    guard let viewportSize, findings.violations.isEmpty else { return }
    let room =
      scrollAxis.cross(viewportSize) - scrollAxis.crossStart(sectionInset)
      - scrollAxis.crossEnd(sectionInset)
    let sizes = LaneSizes(lanes, extent: max(0, room), spacing: laneSpacing).sizes
    if isDense, sizes.count > LaneGaps.maximumLaneCount {
      findings.warn(
        "dense",
        "is ignored with \(sizes.count) lanes; at most \(LaneGaps.maximumLaneCount) are packed densely"
      )
    }
    let length = sizes.reduce(Double(sizes.count - 1) * laneSpacing, +)
    // Fractions of the room add up to it but for rounding.
    if length > room + 1e-6 * max(1, room) {
      findings.warn("lanes", "take \(length) with their spacing, but there is room for \(room)")
    }
  }

  private func validateLanes(_ findings: inout LayoutFindings) {
    if lanes.isEmpty { findings.reject("lanes", "is empty; at least one lane is needed") }
    findings.expectCount(lanes.count, of: "lanes", atMost: Self.maximumLaneCount, "lanes")
    var count = 0
    var filling: Int?
    for (index, lane) in lanes.prefix(Self.maximumLaneCount).enumerated() {
      let field = "lanes[\(index)]"
      switch lane.size {
      case .length(let length): findings.expectNotNegative(length, "\(field).length")
      case .fraction(let fraction): findings.expectPositive(fraction, "\(field).fraction")
      }
      if let minimum = lane.minimum { findings.expectNotNegative(minimum, "\(field).minimum") }
      switch lane.repetition {
      case .count(let given):
        findings.expect(
          (1 ... Self.maximumLaneCount).contains(given),
          "\(field).count",
          found: given,
          allowed: "1…\(Self.maximumLaneCount)"
        )
        count += min(max(given, 1), Self.maximumLaneCount)
      case .autoFill:
        count += 1
        if let filling {
          findings.reject(
            "\(field).auto_fill",
            "is set like that of lanes[\(filling)]; only one may fill the room"
          )
        }
        filling = filling ?? index
        if case .fraction = lane.size, (lane.minimum ?? 0) <= 0 {
          findings.reject(
            "\(field).minimum",
            "is missing; lanes that fill the room need one, or a length"
          )
        }
      }
    }
    if count > Self.maximumLaneCount {
      findings.reject(
        "lanes",
        "are \(count) together; at most \(Self.maximumLaneCount) are allowed"
      )
    }
  }

  private func validatePlacements(_ findings: inout LayoutFindings) {
    findings.expectCount(
      placements.count,
      of: "placements",
      atMost: Self.maximumPlacementCount,
      "placements"
    )
    let allowed = 1 ... Self.maximumLaneCount
    var kinds: [String: Int] = [:]
    for (index, placement) in placements.prefix(Self.maximumPlacementCount).enumerated() {
      let field = "placements[\(index)]"
      let range = "1…\(Self.maximumLaneCount)"
      findings.expect(
        allowed.contains(placement.span),
        "\(field).span",
        found: placement.span,
        allowed: range
      )
      if let lane = placement.lane {
        findings.expect(allowed.contains(lane), "\(field).lane", found: lane, allowed: range)
      }
      if let first = kinds[placement.cellKind] {
        findings.warn("\(field).cell_kind", "is that of placements[\(first)], which is taken")
      } else {
        kinds[placement.cellKind] = index
      }
    }
  }
}
