// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Different identifiers in ascending order, of which there may be ten million.
struct SortedIDs: Sendable {
  private struct Element: SummarizedElement {
    var id: String
    var summary: Last { Last(id: id) }
  }

  /// The last identifier of a run, which is its greatest.
  private struct Last: TreeSummary {
    /// nil = the run is empty.
    var id: String?

    static var zero: Last { Last(id: nil) }
    static func + (a: Last, b: Last) -> Last { b.id == nil ? a : b }

    /// Whether the run ends at `id` or later.
    func reaches(_ id: String) -> Bool { self.id.map { $0 >= id } ?? false }
  }

  private var tree = SummaryTree<Element>()

  init() {}

  /// - Parameter ids: in any order; without duplicates.
  /// - Complexity: O(n log n), or O(n) if they are sorted already.
  init(_ ids: some Sequence<String>) {
    tree = SummaryTree(ids.sorted().map { Element(id: $0) })
  }

  var count: Int { tree.count }

  /// All of them in order.
  ///
  /// - Complexity: O(n)
  var all: [String] { tree.map(\.id) }

  /// Calls `body` with each identifier from `id` on, in order, until it returns false.
  ///
  /// - Parameter id: need not be there; if it is, it is the first.
  /// - Complexity: O(log n + k) for k identifiers
  func forEach(from id: String, _ body: (String) -> Bool) {
    tree.forEach {
      $0.reaches(id)
    } body: { element, _, _ in
      body(element.id)
    }
  }

  /// Adds an identifier, unless it is there.
  ///
  /// - Complexity: O(log n)
  mutating func insert(_ id: String) {
    let next = tree.firstPosition { $0.reaches(id) }
    if next?.element.id == id { return }
    let index = next?.index ?? tree.count
    tree.replaceSubrange(index ..< index, with: CollectionOfOne(Element(id: id)))
  }

  /// Removes an identifier, if it is there.
  ///
  /// - Complexity: O(log n)
  mutating func remove(_ id: String) {
    guard let found = tree.firstPosition(where: { $0.reaches(id) }), found.element.id == id else {
      return
    }
    tree.removeSubrange(found.index ..< found.index + 1)
  }

  /// What is wrong with the tree, for tests; nil = nothing.
  var brokenInvariant: String? {
    let ids = all
    let isAscending = zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }
    return isAscending ? tree.brokenInvariant() : "the identifiers are not in ascending order"
  }
}
