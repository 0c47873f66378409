// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import SwiftProtobuf

/// Plays a program of operations on one outline, whose expansions all viewers share, and holds the
/// contents and the rows against what is expected after each step.
struct OutlineRunner<Transport: ClientTransport> {
  let runner: CaseRunner<Transport>
  let body: JSON

  private typealias Edit = CollectionLayout_V1_OutlineEdit

  private var collections: CollectionLayout_V1_CollectionService.Client<Transport> {
    .init(wrapping: runner.client)
  }

  func run() async throws {
    let name = try await collections.createCollection(.with { $0.contents = start }).collection.name
    var before = try await state(of: name)
    for (index, step) in (body["steps"]?.list ?? []).enumerated() {
      guard let operation = step["do"], let expect = step["expect"] else { continue }
      let note = "step \(index), \(operation.text)"
      let reason = try await refusal(of: operation, in: name, before)
      try check(reason, expect, operation, note)
      let after = try await state(of: name)
      try check(after, expect, note)
      try check(from: before.visible, to: after.visible, expect["rows"], note)
      try check(operation, expect, after, note)
      before = after
    }
    _ = try await collections.deleteCollection(.with { $0.name = name })
  }

  /// The contents before the first step.
  private var start: CollectionLayout_V1_CollectionContents {
    var block = CollectionLayout_V1_ItemBlock()
    func add(_ nodes: [JSON], level: UInt32) {
      for node in nodes {
        block.keys.append(node.string ?? node.list.first?.string ?? "")
        block.outline.levels.append(level)
        if node.isList, node.list.count > 1 { add(node.list[1].list, level: level + 1) }
      }
    }
    add(body["start"]?.list ?? [], level: 0)
    block.count = UInt32(block.keys.count)
    return .with {
      $0.sections = [
        .with {
          $0.key = "outline"
          $0.outline.expansion = .shared
          $0.blocks = block.count == 0 ? [] : [block]
        }
      ]
    }
  }

  // MARK: - Operations

  /// Carries out an operation.
  ///
  /// - Returns: the reason of its refusal and the keys that it names; nil = it is done.
  private func refusal(
    of operation: JSON,
    in name: String,
    _ state: OutlineState
  ) async throws -> (reason: String, keys: String)? {
    guard let edit = edit(for: operation) else {
      // A question, which the client answers from the contents.
      let key = operation["levelOf"]?.string ?? operation["subtreeOf"]?.string
      guard let key else { return ("FIELD_INVALID", "") }
      return state.items.contains(key) ? nil : ("KEY_UNKNOWN", key)
    }
    do {
      _ = try await collections.applyUpdates(
        .with {
          $0.name = name
          $0.batch.outline.edits = [edit]
        }
      )
      return nil
    } catch let error as RPCError {
      let problem = LayoutProblem(error)
      return (problem.reason.rawValue, problem.metadata["keys"] ?? "")
    }
  }

  /// The edit for an operation; nil = it is a question.
  private func edit(for operation: JSON) -> Edit? {
    func keys(_ name: String) -> [String] { operation[name]?.list.compactMap(\.string) ?? [] }
    if operation.has("delete") { return .with { $0.remove.keys = keys("delete") } }
    if operation.has("expand") { return .with { $0.expansion.expand = keys("expand") } }
    if operation.has("collapse") { return .with { $0.expansion.collapse = keys("collapse") } }
    if operation.has("replaceChildren") {
      return .with {
        $0.replaceChildren.parent = operation["replaceChildren"]?.string ?? ""
        $0.replaceChildren.blocks = blocks(keys("with"))
      }
    }
    for name in ["append", "insert", "insertTree"] where operation.has(name) {
      return .with {
        $0.insert.blocks = blocks(keys(name))
        if let place = place(of: operation) { $0.insert.at = place }
      }
    }
    return nil
  }

  private func place(of operation: JSON) -> CollectionLayout_V1_OutlinePlace? {
    if operation.has("append") {
      guard let parent = operation["into"]?.string else {
        return .with { $0.lastRootOf = "outline" }
      }
      return .with { $0.lastChildOf = parent }
    }
    if let key = operation["before"]?.string { return .with { $0.before = key } }
    if let key = operation["after"]?.string { return .with { $0.after = key } }
    return nil
  }

  private func blocks(_ keys: [String]) -> [CollectionLayout_V1_ItemBlock] {
    keys.isEmpty
      ? []
      : [
        .with {
          $0.count = UInt32(keys.count)
          $0.keys = keys
        }
      ]
  }

  // MARK: - State

  private func state(of name: String) async throws -> OutlineState {
    var state = try await collections.exportContents(.with { $0.name = name }) { response in
      var state = OutlineState()
      for try await message in response.messages {
        switch message.part {
        case .section(let section): section.blocks.forEach { state.add($0) }
        case .items(let block): state.add(block)
        default: break
        }
      }
      return state
    }
    let elements = try await runner.allElements(
      .with {
        $0.collection = name
        $0.layout.list = .init()
        $0.viewport.size = .with {
          $0.width = 100
          $0.height = 100
        }
      }
    )
    state.visible = elements.filter { $0.key.category == .cell }
      .sorted { $0.key.indexPath.item < $1.key.indexPath.item }.map(\.itemKey)
    return state
  }

  // MARK: - Checks

  private func check(
    _ found: (reason: String, keys: String)?,
    _ expect: JSON,
    _ operation: JSON,
    _ note: String
  ) throws {
    guard let refused = expect["refused"]?.string else {
      if let found { throw Mismatch("\(note): refused with \(found)") }
      return
    }
    guard let found else { throw Mismatch("\(note): not refused, though \(refused)") }
    let wanted =
      switch refused {
      case "DUPLICATE": ["KEY_TAKEN"]
      case "NOTHING_NAMED": ["FIELD_INVALID", "KEY_UNKNOWN"]
      default: ["KEY_UNKNOWN"]
      }
    guard wanted.contains(found.reason) else { throw Mismatch("\(note): \(found), not \(wanted)") }
    guard let keys = expect["keys"]?.list.compactMap(\.string) else { return }
    guard found.keys == keys.joined(separator: ",") else {
      throw Mismatch("\(note): names \(found.keys), not \(keys)")
    }
  }

  private func check(_ found: OutlineState, _ expect: JSON, _ note: String) throws {
    func strings(_ name: String) -> [String] { expect[name]?.list.compactMap(\.string) ?? [] }
    let wanted = OutlineState(
      items: strings("items"),
      levels: expect["levels"]?.list.compactMap(\.int) ?? [],
      expanded: strings("expanded"),
      visible: strings("visible")
    )
    guard found == wanted else { throw Mismatch("\(note): \(found), not \(wanted)") }
  }

  /// Rows that stay keep their order, so the difference is a pure one of removals and insertions.
  private func check(from old: [String], to new: [String], _ rows: JSON?, _ note: String) throws {
    guard let rows else { return }
    let difference = new.difference(from: old)
    let removed = difference.removals.map { change -> Int in
      if case .remove(let offset, _, _) = change { offset } else { -1 }
    }
    let added = difference.insertions.map { change -> Int in
      if case .insert(let offset, _, _) = change { offset } else { -1 }
    }
    let wanted = (rows["removed"]?.list.compactMap(\.int), rows["added"]?.list.compactMap(\.int))
    guard removed.sorted() == wanted.0, added.sorted() == wanted.1 else {
      throw Mismatch("\(note): removed \(removed), added \(added), not \(wanted)")
    }
  }

  /// Answers questions about levels and subtrees from the contents.
  private func check(
    _ operation: JSON,
    _ expect: JSON,
    _ state: OutlineState,
    _ note: String
  ) throws {
    if let level = expect["level"]?.int {
      let index = state.items.firstIndex(of: operation["levelOf"]?.string ?? "")
      guard index.map({ state.levels[$0] }) == level else { throw Mismatch("\(note): level") }
    }
    guard let subtree = expect["subtree"],
      let index = state.items.firstIndex(of: operation["subtreeOf"]?.string ?? "")
    else { return }
    let level = state.levels[index]
    let end = state.levels[(index + 1)...].firstIndex { $0 <= level } ?? state.items.count
    let first = operation["includingParent"]?.bool == true ? index : index + 1
    let shift = first == index ? level : level + 1
    let found = (
      state.items[first ..< end].map(\.self), state.levels[first ..< end].map { $0 - shift }
    )
    guard found.0 == subtree["items"]?.list.compactMap(\.string),
      found.1 == subtree["levels"]?.list.compactMap(\.int)
    else { throw Mismatch("\(note): subtree \(found)") }
  }
}

/// An outline as the server exports it, and its rows.
private struct OutlineState: Equatable {
  var items: [String] = []
  var levels: [Int] = []
  var expanded: [String] = []
  var visible: [String] = []

  mutating func add(_ block: CollectionLayout_V1_ItemBlock) {
    func value<Value>(_ column: [Value], _ index: Int, _ none: Value) -> Value {
      column.count > 1 ? column[index] : column.first ?? none
    }
    for (index, key) in block.keys.enumerated() {
      items.append(key)
      levels.append(Int(value(block.outline.levels, index, 0)))
      if value(block.outline.expanded, index, false) { expanded.append(key) }
    }
  }
}
