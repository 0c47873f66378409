// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry

/// Update batches from any bytes, applied to contents one after the other.
package enum BatchTarget {
  /// Runs what the bytes say.
  ///
  /// - Returns: what is wrong; nil when nothing is. A trap is wrong too.
  package static func run(_ bytes: [UInt8]) -> String? {
    var messages = 0
    return run(bytes, messages: &messages)
  }

  /// - Parameter messages: grows by one for each batch.
  package static func run(_ bytes: [UInt8], messages: inout Int) -> String? {
    var reader = ByteReader(bytes)
    let hasKeys = reader.flag()
    var contents = startingContents(&reader, hasKeys: hasKeys)
    var model = ReferenceModel(contents)
    var step = 0
    while !reader.isAtEnd, step < 24 {
      step += 1
      messages += 1
      if hasKeys, reader.chance(12) {
        if let fault = applySnapshot(&reader, to: &contents) { return "step \(step): \(fault)" }
        model = ReferenceModel(contents)
      } else if let fault = applyOperations(&reader, hasKeys, to: &contents, &model) {
        return "step \(step): \(fault)"
      }
    }
    return ReadingChecks.fault(in: contents)
  }

  private static func startingContents(
    _ reader: inout ByteReader,
    hasKeys: Bool
  ) -> CollectionContents {
    var next = 1000
    let keys: ((inout ByteReader) -> String)? =
      hasKeys
      ? { _ in
        next += 1
        return "i\(next)"
      } : nil
    let sections = (0 ..< reader.below(5)).map { index in
      SectionContents(
        key: hasKeys ? "t\(index)" : "",
        blocks: reader.list(upTo: 3) {
          $0.validBlock($0.pick([1, 5, 30, 129, 600]), kinds: 2, keys: keys)
        }
      )
    }
    return CollectionContents(sections: sections, cellKindNames: ["a", "b"])
  }

  private static func applyOperations(
    _ reader: inout ByteReader,
    _ hasKeys: Bool,
    to contents: inout CollectionContents,
    _ model: inout ReferenceModel
  ) -> String? {
    let operations = (0 ..< reader.below(12)).map { _ in
      reader.operation(on: model, hasKeys: hasKeys)
    }
    let isSound =
      operations.count <= FuzzRules.limits.operations && operations.allSatisfy(\.isWellFormed)
    let expected =
      isSound && operations.allSatisfy(\.isWithinReach) ? model.applying(operations) : nil
    do {
      let change = try contents.applying(UpdateBatch(operations), limits: FuzzRules.limits)
      guard let expected else { return "applied what cannot be applied: \(operations)" }
      if let fault = fault(in: change, from: model, to: expected) {
        return "\(fault) after \(operations)"
      }
      if let fault = ReadingChecks.fault(in: change, &reader) { return fault }
      contents = change.new
      model = expected
    } catch {
      if let fault = ReadingChecks.fault(in: error) { return fault }
      guard let expected, isWithinQuotas(expected), !operations.contains(where: \.isEmpty) else {
        return nil
      }
      return "refused what can be applied: \(error) for \(operations)"
    }
    return nil
  }

  private static func isWithinQuotas(_ model: ReferenceModel) -> Bool {
    model.sections.count <= FuzzRules.limits.sections
      && model.sections.reduce(0) { $0 + $1.items.count } <= FuzzRules.limits.items
      && model.sections.allSatisfy { section in
        section.key.utf8.count <= FuzzRules.limits.keyBytes
      }
  }

  private static func applySnapshot(
    _ reader: inout ByteReader,
    to contents: inout CollectionContents
  ) -> String? {
    let snapshot = SnapshotUpdate(
      contents: CollectionContents(
        sections: reader.list(upTo: 4) { $0.section(hasKeys: true) },
        cellKindNames: reader.pick([["a", "b"], ["b", "a"], ["c\(reader.below(8))", "b"]])
      ),
      reloadedItemKeys: reader.list(upTo: 3) { "k\($0.below(300))" },
      reconfiguredItemKeys: reader.list(upTo: 3) { "k\($0.below(300))" }
    )
    do {
      let change = try contents.applying(
        UpdateBatch(change: .snapshot(snapshot)),
        limits: FuzzRules.limits
      )
      if let broken = change.new.brokenInvariant() { return "snapshot: \(broken)" }
      let (found, wanted) = (ReferenceModel(change.new), ReferenceModel(snapshot.contents))
      guard found.sections.map(\.key) == wanted.sections.map(\.key),
        found.sections.map({ $0.items.map(\.values.key) })
          == wanted.sections.map({ $0.items.map(\.values.key) })
      else { return "a snapshot gave other contents" }
      if let fault = ReadingChecks.fault(in: change, &reader) { return fault }
      contents = change.new
    } catch {
      return ReadingChecks.fault(in: error)
    }
    return nil
  }
}
