// SPDX-License-Identifier: Apache-2.0

/// The behaviour of a stream in a load test.
enum LoadBehaviour: String, CaseIterable, Hashable, Sendable {
  case reader
  case flinger
  case editor
  case resizer
  case idler

  var help: String {
    switch self {
    case .reader: "scrolls most of a viewport about once per second, and sometimes jumps"
    case .flinger: "flings through the content at 60 steps per second, with short rests"
    case .editor: "inserts, deletes, moves and resizes visible items"
    case .resizer: "resizes its viewport about once per second"
    case .idler: "only receives the changes of others"
    }
  }
}

/// The shares of behaviours among the streams.
struct LoadMix: Equatable {
  struct Share: Equatable {
    var behaviour: LoadBehaviour
    /// The share relative to the sum of all weights.
    var weight: Double
  }

  static let standard = LoadMix(shares: [
    Share(behaviour: .reader, weight: 70), Share(behaviour: .flinger, weight: 20),
    Share(behaviour: .editor, weight: 10),
  ])

  var shares: [Share]

  init(shares: [Share]) { self.shares = shares }

  /// Parses "reader=70,flinger=20,editor=10". A name without a weight has the weight 1.
  ///
  /// - Throws: `CommandFault` that names the faulty part.
  init(parsing text: String) throws(CommandFault) {
    shares = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let weight = sides.count > 1 ? Double(sides[1]) : 1
      guard let behaviour = LoadBehaviour(rawValue: String(sides[0])), let weight,
        weight.isFinite, weight > 0, weight <= 1e9
      else {
        let names = LoadBehaviour.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFault(
          "\"\(part)\" found; NAME=WEIGHT is allowed, the name one of \(names), the weight above 0",
          status: .usage
        )
      }
      guard !shares.contains(where: { $0.behaviour == behaviour }) else {
        throw CommandFault("\(behaviour.rawValue) is named twice", status: .usage)
      }
      shares.append(Share(behaviour: behaviour, weight: weight))
    }
  }

  var text: String {
    shares.map { "\($0.behaviour.rawValue)=\($0.weight.text())" }.joined(separator: ",")
  }

  /// The behaviours of `count` streams, interleaved as evenly as possible, so that any range of
  /// streams has about the same mix.
  func behaviours(count: Int) -> [LoadBehaviour] {
    let total = shares.reduce(0) { $0 + $1.weight }
    var given = [Int](repeating: 0, count: shares.count)
    var behaviours: [LoadBehaviour] = []
    for index in 0 ..< max(0, count) {
      // Picks the behaviour that is furthest behind its share.
      var best = 0
      var bestLack = -Double.infinity
      for (share, value) in shares.enumerated() {
        let lack = value.weight / total * Double(index + 1) - Double(given[share])
        if lack > bestLack + 1e-9 { (best, bestLack) = (share, lack) }
      }
      given[best] += 1
      behaviours.append(shares[best].behaviour)
    }
    return behaviours
  }
}
