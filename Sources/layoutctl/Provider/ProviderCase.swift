// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf

/// One rule that providers must follow, and a test of it.
struct ProviderCase: Sendable {
  let name: String
  let run: @Sendable (ProviderTrial) async throws -> ProviderExamination.Outcome

  /// An ordinary container.
  static let container = LayoutContainer(size: Size(width: 390, height: 844))

  static let all: [ProviderCase] =
    contents + containers + [
      equalAnswers, callsAtOnce, foreignParameters, absentLayout, abandonedCalls, changes,
      severalChanges, foreignCookie,
    ]

  // MARK: - Contents

  private static var contents: [ProviderCase] {
    [
      placing("no sections") { _ in .empty },
      placing("sections without items") { _ in sections([0, 0, 0]) },
      placing("one item") { _ in sections([1]) },
      placing("1,000 sections") { _ in sections((0 ..< 1000).map { $0 % 4 }) },
      placing("100,000 items") { layout in
        let most = layout.maxItems == 0 ? 100_000 : min(100_000, Int(clamping: layout.maxItems))
        return sections([most])
      },
      placing("sizes, kinds and keys of items") { _ in various },
    ]
  }

  private static func placing(
    _ name: String,
    _ contents: @escaping @Sendable (Wire.ProvidedLayout) -> CollectionContents
  ) -> ProviderCase {
    ProviderCase(name: name) { trial in
      let contents = contents(trial.layout)
      guard trial.places(contents.itemCount) else {
        return .notTried("it places at most \(trial.layout.maxItems) items")
      }
      _ = try await trial.prepare(contents)
      return .kept
    }
  }

  /// Sections with these numbers of items.
  static func sections(_ counts: [Int]) -> CollectionContents {
    CollectionContents(
      sections: counts.map { SectionContents(blocks: [ItemBlock(count: $0)]) }
    )
  }

  /// Three sections of items that differ in every respect.
  static let various = CollectionContents(
    sections: [17, 0, 40].enumerated().map { section, count in
      SectionContents(key: "section \(section)", blocks: [variousItems(count, of: section)])
    },
    cellKindNames: ["", "photo", "text"]
  )

  private static func variousItems(_ count: Int, of section: Int) -> ItemBlock {
    var block = ItemBlock(count: count)
    for item in 0 ..< count {
      block.widths.append(Double(item * 37 % 90) + 0.5)
      block.heights.append(Double(item * 53 % 70))
      block.xs.append(Double(item * 11 % 360) - 180)
      block.ys.append(Double(item * 7 % 180) - 90)
      block.cellKinds.append(item % 3)
      block.keys.append("item \(section).\(item)")
    }
    return block
  }

  // MARK: - Containers

  private static var containers: [ProviderCase] {
    let all: [(String, LayoutContainer)] = [
      ("a container of one point", LayoutContainer(size: Size(width: 1, height: 1))),
      ("a container of no size", LayoutContainer(size: .zero)),
      (
        "insets larger than the container",
        LayoutContainer(
          size: Size(width: 100, height: 100),
          insets: EdgeInsets(top: 80, leading: 80, bottom: 80, trailing: 80),
          displayScale: 3
        )
      ),
      (
        "right to left",
        LayoutContainer(size: Size(width: 390, height: 844), isRightToLeft: true)
      ),
    ]
    return all.map { name, container in
      ProviderCase(name: name) { trial in
        guard trial.places(57) else {
          return .notTried("it places at most \(trial.layout.maxItems) items")
        }
        _ = try await trial.prepare(various, container)
        return .kept
      }
    }
  }

  // MARK: - Calls

  private static let equalAnswers = ProviderCase(name: "equal answers to equal calls") { trial in
    let first = try await trial.prepare(sections([3, 2]))
    for _ in 0 ..< 3 {
      if let fault = try await trial.prepare(sections([3, 2])).difference(from: first) {
        throw fault
      }
    }
    return .kept
  }

  private static let callsAtOnce = ProviderCase(name: "eight calls at once") { trial in
    try await withThrowingTaskGroup(of: Void.self) { group in
      for count in 1 ... 8 { group.addTask { _ = try await trial.prepare(sections([count])) } }
      try await group.waitForAll()
    }
    return .kept
  }

  private static let foreignParameters = ProviderCase(name: "parameters that it may not know") {
    trial in
    for value in [CustomValue.null, .string("?"), .number(-1e300), .list([.bool(true)])] {
      var call = trial.call(sections([2]), container)
      for name in Set(call.parameters.keys).union(["no such parameter"]) {
        call.parameters[name] = value
      }
      do { _ = try await trial.prepare(call) } catch let error as RPCError
        where error.code == .invalidArgument
      {}
    }
    return .kept
  }

  private static let absentLayout = ProviderCase(name: "a layout that it does not have") { trial in
    var call = trial.call(sections([1]), container)
    call.layout = "no such layout"
    do { _ = try await trial.prepare(call) } catch let error as RPCError {
      let allowed: [RPCError.Code] = [.notFound, .invalidArgument]
      guard allowed.contains(error.code) else {
        return .failed("status is \(error.code); NOT_FOUND or INVALID_ARGUMENT is allowed")
      }
      return .kept
    }
    return .failed("status is OK; NOT_FOUND or INVALID_ARGUMENT is allowed")
  }

  /// Calls that never end by themselves must not keep other callers waiting.
  private static let abandonedCalls = ProviderCase(name: "calls that are given up") { trial in
    var call = trial.call(sections([1]), container)
    call.options.timeout = .milliseconds(300)
    let start = Wire.PrepareLayoutStart(
      layout: call.layout,
      parameters: call.parameters,
      call.context
    )
    await withTaskGroup(of: Void.self) { group in
      for _ in 0 ..< 16 {
        group.addTask { [call] in
          // It must fail: its time ends before the request is complete.
          try? await Deadline.limit(.seconds(2)) {
            try await trial.link.client.prepareLayout(
              metadata: call.metadata,
              options: call.options
            ) { writer in
              try await writer.write(.with { $0.start = start })
              try await Task.sleep(for: .seconds(5))
            } onResponse: { response in
              for try await _ in response.messages {}
            }
          }
        }
      }
    }
    _ = try await trial.prepare(sections([1]))
    return .kept
  }
}
