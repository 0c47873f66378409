// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

/// What a measured size belongs to, among all items of the contents.
public enum MeasuredPlace: Hashable, Sendable {
  /// A cell: its item's index path.
  case item(IndexPath)
  /// The header of a section.
  case header(Int)
  /// The footer of a section.
  case footer(Int)
  /// Another element.
  case element(MeasuredElement)

  /// Where it is after a change; nil = it is gone, or was reloaded.
  ///
  /// - Complexity: O(log k) for a change of k places
  func following(_ change: ContentsChange) -> MeasuredPlace? {
    func section(_ index: Int) -> Int? {
      change.newIndexPath(ofOld: IndexPath(section: index))?.section
    }
    switch self {
    case .item(let path): return change.newIndexPath(ofOld: path).map { .item($0) }
    case .header(let index): return section(index).map { .header($0) }
    case .footer(let index): return section(index).map { .footer($0) }
    case .element(.layout): return self
    case .element(.section(let index, let kind)):
      return section(index).map { .element(.section($0, kind: kind)) }
    case .element(.item(let path, let kind)):
      return change.newIndexPath(ofOld: path).map { .element(.item($0, kind: kind)) }
    case .element(.group(let index, let ordinal, let kind)):
      return section(index).map { .element(.group(section: $0, ordinal: ordinal, kind: kind)) }
    }
  }

  /// The order in which sizes are applied, so that equal sizes always give equal sums.
  static func precedes(_ a: MeasuredPlace, _ b: MeasuredPlace) -> Bool {
    switch (a, b) {
    case (.item(let a), .item(let b)): a < b
    case (.item, _): true
    default: false
    }
  }
}

extension CollectionContents {
  /// The size of an element that has one; nil = it has none, or one length only.
  ///
  /// - Complexity: O(log items)
  func size(of place: MeasuredPlace) -> Size? {
    func isThere(_ index: Int) -> Bool { index >= 0 && index < sectionCount }
    switch place {
    case .item(let path):
      guard let item = item(at: path), let width = item.width, let height = item.height else {
        return nil
      }
      return Size(width: width, height: height)
    case .header(let index): return isThere(index) ? section(at: index).metrics.headerSize : nil
    case .footer(let index): return isThere(index) ? section(at: index).metrics.footerSize : nil
    case .element(.layout(let kind)): return measuredElements.layout[kind]
    case .element(.section(let index, let kind)):
      return measuredElements[section: index].sizes[kind]
    case .element(.item(let path, let kind)):
      guard let item = path.item else { return nil }
      return measuredElements[section: path.section].onItems[kind]?[item]
    case .element(.group(let index, let ordinal, let kind)):
      return measuredElements[section: index].onGroups[kind]?[ordinal]
    }
  }
}
