// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CollectionLayouts
import CollectionModel
public import LayoutSession

/// The place at which a session begins, on the command line.
struct StartArgument: ExpressibleByArgument, Hashable {
  static let help = """
    Begin at a place instead of an offset: start, end, a share of the content such as 50%, an item \
    by its SECTION:ITEM, or an item by its key. key:KEY is an item even if KEY looks like one of the \
    others.
    """

  let start: SessionStart

  init?(argument: String) {
    guard let start = Self.start(argument) else { return nil }
    self.start = start
  }

  private static let keyPrefix = "key:"

  private static func start(_ text: String) -> SessionStart? {
    if text.isEmpty || text == keyPrefix { return nil }
    if text.hasPrefix(keyPrefix) {
      return .item(key: String(text.dropFirst(keyPrefix.count)), at: .start)
    }
    if let edge = ContentEdge(argument: text) { return .edge(edge) }
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0 ... 100).contains(percent) else { return nil }
      return .fraction(percent / 100)
    }
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
    if numbers.count == 2, let section = numbers[0], let item = numbers[1] {
      // Both parts of an index path are below 2³² − 1.
      guard section < .max, item < .max else { return nil }
      return .element(.cell(Int(section), Int(item), kind: ""), at: .start)
    }
    return .item(key: text, at: .start)
  }
}

extension ContentEdge: ExpressibleByArgument {
  /// Parses "start" or "end".
  public init?(argument: String) {
    switch argument {
    case "start": self = .start
    case "end": self = .end
    default: return nil
    }
  }

  /// What can be given.
  public static var allValueStrings: [String] { ["start", "end"] }
}

extension ContentAlignment: ExpressibleByArgument {
  /// Parses "start", "center" or "end".
  public init?(argument: String) {
    switch argument {
    case "start": self = .start
    case "center": self = .center
    case "end": self = .end
    default: return nil
    }
  }

  /// What can be given.
  public static var allValueStrings: [String] { ["start", "center", "end"] }
}
