// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One file of cases in `Cases`, whose README explains the format.
struct ConformanceSuite: Sendable {
  let name: String
  let tolerance: Tolerance
  let cases: [ConformanceCase]

  /// The names of all suites. A file that is missing, or not in this list, fails the tests.
  static let names = [
    "attributes", "batch_operations", "batch_rejections", "batch_rules", "carousel_stack",
    "compositional_patterns", "compositional_recorded_a", "compositional_recorded_b",
    "compositional_rules", "compositional_uikit", "content_insets_reference_recorded",
    "flow_justified", "flow_rules",
    "flow_sections", "flow_sized_recorded", "flow_wrap", "grid_lanes_chromium", "hit_test",
    "inset_reference_recorded", "list_recorded", "list_rules", "list_virtual",
    "movement_recorded", "orthogonal_recorded", "outlines", "pinned", "pinned_rules",
    "pixel_alignment", "sample_layout_rules", "sample_layouts", "scroll_effects",
    "scroll_targets",
    "section_inset_reference_recorded", "session_anchor",
    "session_animation", "session_identity", "session_measurement", "session_pinning",
    "session_transitions", "session_updates", "sized_recorded", "snapping",
    "snapshot_updates", "spatial", "table_rules", "transition_recorded", "validate", "waterfall",
    "waterfall_rules",
  ]

  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

  /// The folder with one file for each suite.
  static let folder = tests.appending(path: "Cases")

  /// "suite/case" of those that are known not to hold yet.
  static let pending: Set<String> = {
    let file = tests.appending(path: "PendingCases.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
  }()

  /// Reads a suite.
  ///
  /// - Throws: if its file is missing, cannot be parsed or has no cases.
  init(named name: String) throws {
    let file = Self.folder.appending(path: "\(name).json")
    let json = try JSON.parse(try Data(contentsOf: file))
    self.name = name
    tolerance = Tolerance(
      length: json["tolerance"]?.double ?? 0.01,
      value: json["valueTolerance"]?.double ?? 0.0005
    )
    cases = (json["cases"]?.list ?? []).map(ConformanceCase.init)
    guard json["suite"]?.string == name else { throw Mismatch("\(name) has another name inside") }
    guard !cases.isEmpty else { throw Mismatch("\(name) has no cases") }
  }
}

struct ConformanceCase: Sendable {
  let json: JSON

  var id: String { json["id"]?.string ?? "?" }
}

struct Tolerance: Sendable {
  /// Points.
  let length: Double
  /// Of alpha and of transform components that are not translations.
  let value: Double
}

/// Why a case does not hold.
struct Mismatch: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
