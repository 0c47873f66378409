// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// Suggests a name for a misspelt one.
enum NameSuggestion {
  /// Names have at most 63 characters. To compare much longer ones, as a wrong server may send,
  /// would take minutes.
  private static let longest = 200

  /// The name that is closest to another; nil = none is close.
  static func closest(to name: String, in names: [String]) -> String? {
    let length = name.count
    guard length <= longest else { return nil }
    let most = max(1, length / 3)
    let near = names.filter { $0 != name && abs($0.count - length) <= most }
      .map { ($0, distance(name.lowercased(), $0.lowercased())) }
      .filter { $0.1 <= most }
    return near.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// How many characters have to be inserted, deleted, replaced, or exchanged with their neighbour.
  static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var before: [Int] = []
    var last = Array(0 ... b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }

  /// The error, with a suggestion if it says that there is no such collection and a collection that
  /// the caller may see has a similar name.
  static func improved(_ error: any Error, client: LayoutClient) async -> any Error {
    var problem: LayoutProblem
    switch error {
    case let error as LayoutProblem: problem = error
    case let error as RPCError: problem = LayoutProblem(error)
    default: return error
    }
    guard problem.reason == .collectionNotFound, let name = problem.resource?.name,
      let names = try? await collections(client),
      let close = closest(to: CollectionArgument.identifier(of: name), in: names)
    else { return error }
    problem.message += " Did you mean \"\(close)\"?"
    return problem
  }

  /// The identifiers of the collections that the caller may see, at most the first thousand.
  static func collections(_ client: LayoutClient) async throws -> [String] {
    var request = Wire.ListCollectionsRequest()
    request.view = .basic
    request.pageSize = 1000
    let page = try await client.collections.listCollections(request)
    return page.collections.map { CollectionArgument.identifier(of: $0.name) }
  }
}
