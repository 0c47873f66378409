// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Foundation
import GRPCCore
import LayoutProtocol

/// Runs all cases with all layouts of a provider, and prints a line for each.
struct ProviderExamination {
  /// The result of a case.
  enum Outcome: Hashable, Sendable {
    case kept
    case failed(String)
    case notTried(String)
  }

  private let link: ProviderLink
  private let parameters: [String: CustomValue]
  private let write: (String) throws -> Void
  private(set) var failureCount = 0
  private var count = 0

  /// - Parameter parameters: of all layouts.
  init(
    _ link: ProviderLink,
    parameters: [String: CustomValue],
    write: @escaping (String) throws -> Void = { try Terminal.writeLine($0.printable) }
  ) {
    self.link = link
    self.parameters = parameters
    self.write = write
  }

  /// - Parameter name: of one layout; nil = all.
  /// - Throws: `RPCError` if the provider cannot be reached, `CommandFault` if it has no such
  ///   layout.
  mutating func run(only name: String?) async throws {
    let layouts = try await link.layouts()
    try note("descriptions", of: "-", Self.fault(in: layouts).map { .failed($0) } ?? .kept)
    let wanted = layouts.filter { name == nil || $0.name == name }
    if let name, wanted.isEmpty { throw CommandFault("the provider has no layout \(name)") }
    for layout in wanted {
      let trial = ProviderTrial(link: link, layout: layout, parameters: parameters)
      for each in ProviderCase.all {
        let outcome = await trial.outcome(of: each)
        try note(each.name, of: layout.name, outcome)
      }
    }
    try write("\(count - failureCount) of \(count) cases kept or not tried, \(failureCount) failed")
  }

  private mutating func note(_ name: String, of layout: String, _ outcome: Outcome) throws {
    count += 1
    switch outcome {
    case .kept: try write("kept       \(layout)  \(name)")
    case .notTried(let reason): try write("not tried  \(layout)  \(name): \(reason)")
    case .failed(let reason):
      failureCount += 1
      try write("FAILED     \(layout)  \(name): \(reason)")
    }
  }

  /// What is wrong with the descriptions of layouts; nil = nothing.
  static func fault(in layouts: [Wire.ProvidedLayout]) -> String? {
    guard (1 ... 1000).contains(layouts.count) else {
      return "layouts has \(layouts.count) entries; 1 to 1,000 are allowed"
    }
    var names: Set<String> = []
    for (index, layout) in layouts.enumerated() {
      guard (1 ... 128).contains(layout.name.utf8.count) else {
        return "layouts[\(index)].name has \(layout.name.utf8.count) bytes; 1 to 128 are allowed"
      }
      guard names.insert(layout.name).inserted else {
        return "layouts[\(index)].name is \(layout.name), as one before; each is allowed once"
      }
      guard layout.parametersSchema.isEmpty || layout.parametersSchema.isJSONObject else {
        return "layouts[\(index)].parameters_schema is no JSON object; one or \"\" is allowed"
      }
      if case .UNRECOGNIZED(let number) = layout.scrollDirection {
        return "layouts[\(index)].scroll_direction is \(number); 0 to 2 are allowed"
      }
    }
    return nil
  }
}

extension String {
  fileprivate var isJSONObject: Bool {
    (try? JSONSerialization.jsonObject(with: Data(utf8))) is [String: Any]
  }
}

/// One layout of a provider that is being tested.
struct ProviderTrial: Sendable {
  let link: ProviderLink
  let layout: Wire.ProvidedLayout
  let parameters: [String: CustomValue]

  /// The result of a case, whatever happens.
  func outcome(of each: ProviderCase) async -> ProviderExamination.Outcome {
    do { return try await each.run(self) } catch {
      return .failed(Self.text(of: error))
    }
  }

  static func text(of error: any Error) -> String {
    switch error {
    case let fault as PlacementFault: fault.description
    case let error as RPCError: "the call ended with \(error.code): \(error.message); OK is allowed"
    default: "\(error)"
    }
  }

  /// Whether the layout accepts this many items.
  func places(_ count: Int) -> Bool { layout.maxItems == 0 || count <= layout.maxItems }

  func call(_ contents: CollectionContents, _ container: LayoutContainer) -> PlacementCall {
    var call = PlacementCall(
      layout: layout.name,
      parameters: parameters,
      LayoutContext(contents: contents, container: container),
      scrollAxis: layout.scrollAxis
    )
    call.metadata = link.metadata
    call.options = link.options
    return call
  }

  /// The provider's answer, checked against all rules.
  func prepare(
    _ contents: CollectionContents,
    _ container: LayoutContainer = ProviderCase.container
  ) async throws -> Placement {
    try await prepare(call(contents, container))
  }

  func prepare(_ call: PlacementCall) async throws -> Placement {
    try await Deadline.limit(link.patience) { try await call.prepare(link.connection) }
  }
}
