// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import LayoutGeometry

extension Size: ExpressibleByArgument {
  /// Parses "1024x768" or "1024×768".
  public init?(argument: String) {
    guard let numbers = [Double](argument, separatedBy: ["x", "×"]), numbers.count == 2,
      numbers.allSatisfy({ $0 >= 0 })
    else { return nil }
    self.init(width: numbers[0], height: numbers[1])
  }

  /// The size in the form in which it is given: "1024x768".
  public var defaultValueDescription: String { "\(width.text())x\(height.text())" }
}

extension Point: ExpressibleByArgument {
  /// Parses "0,500".
  public init?(argument: String) {
    guard let numbers = [Double](argument, separatedBy: [","]), numbers.count == 2 else {
      return nil
    }
    self.init(x: numbers[0], y: numbers[1])
  }

  /// The point in the form in which it is given: "0,500".
  public var defaultValueDescription: String { text }
}

extension Rect: ExpressibleByArgument {
  /// Parses "x,y,width,height".
  public init?(argument: String) {
    guard let numbers = [Double](argument, separatedBy: [","]), numbers.count == 4,
      numbers[2] >= 0, numbers[3] >= 0
    else { return nil }
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }
}

extension EdgeInsets: ExpressibleByArgument {
  /// Parses "top,leading,bottom,trailing".
  public init?(argument: String) {
    guard let numbers = [Double](argument, separatedBy: [","]), numbers.count == 4 else {
      return nil
    }
    self.init(top: numbers[0], leading: numbers[1], bottom: numbers[2], trailing: numbers[3])
  }
}

/// The offset of a section that scrolls orthogonally, on the command line.
struct SectionOffsetArgument: ExpressibleByArgument, Hashable {
  let section: Int
  /// In points.
  let offset: Double

  /// Parses "3:120".
  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let section = UInt32(parts[0]), section < .max,
      let offset = Double(parts[1]), offset.isFinite
    else { return nil }
    self.section = Int(section)
    self.offset = offset
  }
}

extension [Double] {
  /// Parses numbers between separators; nil if a part is not a finite number.
  fileprivate init?(_ text: String, separatedBy separators: Set<Character>) {
    self = []
    for part in text.split(omittingEmptySubsequences: false, whereSeparator: separators.contains) {
      guard let number = Double(part), number.isFinite else { return nil }
      append(number)
    }
  }
}
