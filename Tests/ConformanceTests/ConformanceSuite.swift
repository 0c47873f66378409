// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One file of cases.
struct ConformanceSuite: Sendable, CustomStringConvertible {
  let name: String
  let tolerance: Tolerance
  let cases: [ConformanceCase]

  var description: String { name }

  /// The suites beside the checkout; empty where there are none.
  static let all: [ConformanceSuite] = {
    let folder = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "shared/conformance")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.sorted().compactMap { file in
      guard let data = try? Data(contentsOf: folder.appending(path: file)),
        let json = try? JSON.parse(data)
      else { return nil }
      return ConformanceSuite(json)
    }
  }()

  /// "suite/case" of those that are known not to hold yet.
  static let pending: Set<String> = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "PendingCases.txt"
    )
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
  }()

  init(_ json: JSON) {
    name = json["suite"]?.string ?? "?"
    tolerance = Tolerance(
      length: json["tolerance"]?.double ?? 0.01,
      value: json["valueTolerance"]?.double ?? 0.0005
    )
    cases = (json["cases"]?.list ?? []).map(ConformanceCase.init)
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
