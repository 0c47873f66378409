// SPDX-License-Identifier: Apache-2.0

/// A batch of operations, checked against the contents and sorted by where they apply.
///
/// Sections are planned first: which old ones are deleted, moved and reloaded. Then each operation
/// on items is assigned to the section that it concerns, by the section's old index.
struct BatchPlan {
  /// The contents before the batch.
  let contents: CollectionContents
  let operations: [UpdateOperation]
  let limits: ContentsLimits
  /// Whether operations on items of outlines include their descendants.
  let keepsTrees: Bool

  /// The faults found so far.
  var violations = Violations()
  /// What happens to the list of sections.
  var sections = SequencePlan()
  /// The number of sections after the batch.
  var sectionCountAfter = 0
  /// The splices of the list of sections.
  var sectionParts: [SequencePlan.Part] = []
  /// How old and new section indices correspond.
  var sectionMap = SpliceMap()
  /// New indices of moved sections, by old index.
  var sectionMoves: [Int: Int] = [:]
  /// Old indices of moved sections, by new index.
  var sectionMovesByNew: [Int: Int] = [:]
  /// New metrics, by old section index.
  var metrics: [Int: SectionMetrics] = [:]
  /// What happens to the items of surviving sections, by old section index.
  var items: [Int: SequencePlan] = [:]
  /// Items that are moved out of deleted sections, by old section index.
  var rescued: [Int: [PlaceClaim]] = [:]
  /// All moves of items; sorted by old path once the items are planned.
  var itemMoves: [PlaceMove] = []
  /// The new values of reloads and reconfigurations, by operation; filled when first needed.
  var newValues: [Int: BlockOffsets] = [:]

  /// - Throws: `Refusal` with the first reason for which the batch is refused.
  init(
    _ operations: [UpdateOperation],
    of contents: CollectionContents,
    limits: ContentsLimits,
    keepsTrees: Bool = true
  ) throws(Refusal) {
    self.contents = contents
    self.operations = operations
    self.limits = limits
    self.keepsTrees = keepsTrees
    if operations.count > limits.operations {
      throw Refusal(
        .quotaOperations,
        field: "operations",
        "\(operations.count) operations; at most \(limits.operations)"
      )
    }
    checkFields()
    try violations.throwIfAny()
    planSections()
    try violations.throwIfAny()
    planItems()
    try violations.throwIfAny()
    checkQuotas()
    checkKeys()
    try violations.throwIfAny()
  }

  // MARK: - Sections

  /// Plans the operations on whole sections, and reports indices that are out of range or named
  /// twice.
  private mutating func planSections() {
    var oldClaims: [PlaceClaim] = []
    for (i, operation) in operations.enumerated() {
      switch operation {
      case .insertSections(let at, let new):
        claimInsertion(at, count: new.count, i)
      case .deleteSections(let range):
        claim(range, .delete, i, &oldClaims)
      case .moveSection(let from, let to):
        guard claim(place(from), .moveOut, i, &oldClaims) else { continue }
        guard to >= 0, to <= limits.sections else {
          violations.add(
            .indexOutOfRange,
            field(i, isOldSide: false),
            "section \(to); there are never more than \(limits.sections)"
          )
          continue
        }
        sections.insertions.append(
          PlaceClaim(range: place(to), use: .moveIn(from: IndexPath(section: from)), operation: i)
        )
        sectionMoves[from] = to
        sectionMovesByNew[to] = from
      case .reloadSection(let section, _):
        claim(place(section), .reload, i, &oldClaims)
      case .setSectionMetrics(let section, let new):
        claim(place(section), .metrics, i, &oldClaims)
        metrics[section] = new
      case .insertItems, .deleteItems, .moveItem, .reloadItems, .reconfigureItems:
        break
      }
    }
    oldClaims.sort { $0.range.lowerBound < $1.range.lowerBound }
    checkDisjoint(oldClaims, "section", in: nil, isOldSide: true)
    for claim in oldClaims {
      switch claim.use {
      case .delete, .moveOut: sections.removals.append(claim)
      case .reload: sections.replacements.append(claim)
      case .reconfigure, .metrics, .insert, .moveIn: break
      }
    }
    sections.sort()
    checkDisjoint(sections.insertions, "section", in: nil, isOldSide: false)
    sectionCountAfter = contents.sectionCount + sections.growth
    checkBounds(sections.insertions, count: sectionCountAfter, "section", in: nil)
    guard violations.isEmpty else { return }
    sectionParts = sections.parts()
    sectionMap = sections.map(of: sectionParts)
  }

  /// Notes that an operation inserts sections.
  ///
  /// - Parameter at: counted after the batch.
  private mutating func claimInsertion(_ at: Int, count: Int, _ operation: Int) {
    guard at >= 0, at <= limits.sections, count > 0 else {
      if at < 0 || at > limits.sections {
        violations.add(
          .indexOutOfRange,
          field(operation, isOldSide: false),
          "section \(at); there are never more than \(limits.sections)"
        )
      } else if at > contents.sectionCount {
        // Nothing is inserted, so no later check would see this index.
        violations.add(
          .indexOutOfRange,
          field(operation, isOldSide: false),
          "section \(at) of \(contents.sectionCount)"
        )
      }
      return
    }
    sections.insertions.append(
      PlaceClaim(range: at ..< at + count, use: .insert, operation: operation)
    )
  }

  /// The range of one index. A client chooses the index: for `Int.max` the range is empty instead
  /// of overflowing, and the bounds check then refuses it.
  private func place(_ index: Int) -> Range<Int> { index ..< max(index, index &+ 1) }

  /// Notes that an operation uses a range of old sections, or reports that the range does not
  /// exist.
  ///
  /// - Returns: whether the range exists.
  @discardableResult
  private mutating func claim(
    _ range: Range<Int>,
    _ use: PlaceClaim.Use,
    _ operation: Int,
    _ claims: inout [PlaceClaim]
  ) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= contents.sectionCount else {
      violations.add(
        .indexOutOfRange,
        field(operation, isOldSide: true),
        "\(described(range, "section")); there are \(contents.sectionCount) before the batch"
      )
      return false
    }
    if !range.isEmpty {
      claims.append(PlaceClaim(range: range, use: use, operation: operation))
    }
    return true
  }

  // MARK: - Where sections go

  /// What a batch does with an old section.
  enum SectionTarget {
    case deleted
    case reloaded
    /// With the section's new index.
    case stays(Int)
  }

  /// - Parameter section: within the old sections.
  func target(ofOld section: Int) -> SectionTarget {
    if let moved = sectionMoves[section] { return .stays(moved) }
    return switch sectionMap.newPlace(ofOld: section) {
    case .index(let new): .stays(new)
    case .spliced(.reload, _): .reloaded
    case .spliced: .deleted
    }
  }

  /// Where a section of the new contents comes from.
  enum SectionSource {
    case inserted
    case reloaded
    /// With the section's old index.
    case stays(Int)
  }

  /// - Parameter section: within the new sections.
  func source(ofNew section: Int) -> SectionSource {
    if let moved = sectionMovesByNew[section] { return .stays(moved) }
    return switch sectionMap.oldPlace(ofNew: section) {
    case .index(let old): .stays(old)
    case .spliced(.reload, _): .reloaded
    case .spliced: .inserted
    }
  }

  // MARK: - Reports

  /// The path of the field in which an operation names its place.
  ///
  /// - Parameter isOldSide: whether the place before the batch is meant, where an operation has
  ///   two.
  func field(_ operation: Int, isOldSide: Bool) -> String {
    let name =
      switch operations[operation] {
      case .insertItems: "insert_items.at"
      case .deleteItems: "delete_items"
      case .moveItem: isOldSide ? "move_item.from" : "move_item.to"
      case .reloadItems: "reload_items.range"
      case .reconfigureItems: "reconfigure_items.range"
      case .insertSections: "insert_sections.at"
      case .deleteSections: "delete_sections"
      case .moveSection: isOldSide ? "move_section.from" : "move_section.to"
      case .reloadSection: "reload_section.section"
      case .setSectionMetrics: "set_section_metrics.section"
      }
    return "operations[\(operation)].\(name)"
  }

  /// A range in words: "item 3" or "items 3 ..< 7".
  func described(_ range: Range<Int>, _ noun: String) -> String {
    range.size == 1
      ? "\(noun) \(range.lowerBound)" : "\(noun)s \(range.lowerBound) ..< \(range.upperBound)"
  }

  /// Reports places that two operations name.
  ///
  /// - Parameter claims: sorted by lower bound, and within bounds on the old side.
  /// - Parameter section: whose items they are; nil = the claims are on sections.
  mutating func checkDisjoint(
    _ claims: [PlaceClaim],
    _ noun: String,
    in section: Int?,
    isOldSide: Bool
  ) {
    var end = 0
    var owner = 0
    for claim in claims where !claim.range.isEmpty {
      if claim.range.lowerBound < end {
        // Does not overflow: the range is not empty, so its upper bound is at least as high.
        let place = described(claim.range.lowerBound ..< claim.range.lowerBound + 1, noun)
        let whole = section.map { "\(place) of section \($0)" } ?? place
        violations.add(
          .batchInconsistent,
          field(claim.operation, isOldSide: isOldSide),
          "\(whole) \(isOldSide ? "before" : "after") the batch is also named by "
            + "\(field(owner, isOldSide: isOldSide)); each place at most once"
        )
      }
      if claim.range.upperBound > end {
        end = claim.range.upperBound
        owner = claim.operation
      }
    }
  }

  /// Reports places that do not exist after the batch.
  ///
  /// - Parameter claims: on the new side.
  /// - Parameter count: how many sections or items there are after the batch.
  /// - Parameter section: whose items they are; nil = the claims are on sections.
  mutating func checkBounds(
    _ claims: [PlaceClaim],
    count: Int,
    _ noun: String,
    in section: Int?
  ) {
    for claim in claims where claim.range.lowerBound < 0 || claim.range.upperBound > count {
      let place = described(claim.range, noun)
      violations.add(
        .indexOutOfRange,
        field(claim.operation, isOldSide: false),
        "\(place)\(section.map { " of section \($0)" } ?? ""); there are \(max(count, 0)) after the batch"
      )
    }
  }
}
