// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// How much memory configurations take, for owners that keep many of them. These are estimates:
// arrays and texts count with their length, not with their capacity.

extension LayoutConfiguration {
  /// The memory that it takes, in bytes: an estimate.
  ///
  /// - Complexity: O(parameters)
  public var byteCount: Int {
    512 + options.byteCount + layout.parameterByteCount
      + scrollEffects.reduce(0) { $0 + $1.byteCount }
  }
}

extension ScrollEffect {
  fileprivate var byteCount: Int {
    kinds.reduce(MemoryLayout<Self>.stride) { $0 + 32 + $1.utf8.count }
  }
}

extension LayoutOptions {
  var byteCount: Int {
    sectionBackgrounds.reduce(0) { $0 + $1.byteCount }
      + (scrollTargets?.kindAnchors.reduce(0) { $0 + 48 + $1.key.utf8.count } ?? 0)
      + appearanceRules.reduce(0) { $0 + $1.byteCount }
  }
}

extension AppearanceRule {
  fileprivate var byteCount: Int {
    let names = kinds.reduce(0) { $0 + 32 + $1.utf8.count }
    return itemKeys.reduce(MemoryLayout<Self>.stride + names) { $0 + 32 + $1.utf8.count }
  }
}

extension SectionBackground {
  var byteCount: Int {
    MemoryLayout<Self>.stride + kind.utf8.count + (sections?.count ?? 0) * 24
      + (custom.map { CustomValue.object($0).byteCount } ?? 0)
  }
}

extension CustomValue {
  /// The memory that the value takes, in bytes: an estimate.
  ///
  /// - Complexity: O(values in it)
  public var byteCount: Int {
    // Its place in a list or an object, which may have room for twice as many.
    let place = 2 * MemoryLayout<Self>.stride
    return switch self {
    case .null, .bool, .number: place
    case .string(let text): place + text.utf8.count
    case .list(let values): values.reduce(place + 32) { $0 + $1.byteCount }
    case .object(let values):
      values.reduce(place + 64) { $0 + 32 + $1.key.utf8.count + $1.value.byteCount }
    }
  }
}

extension CustomCollectionLayout {
  /// The memory that `parameters` take, in bytes: an estimate.
  ///
  /// - Complexity: O(values in the parameters)
  public var parameterByteCount: Int { CustomValue.object(parameters).byteCount }
}

extension CompositionalLayout {
  /// The memory that sections and boundary elements take, in bytes: an estimate.
  ///
  /// - Complexity: O(parameters)
  public var parameterByteCount: Int {
    sections.reduce(0) { $0 + $1.byteCount }
      + boundarySupplementaryItems.reduce(0) { $0 + $1.byteCount }
  }
}

extension GridLanesLayout {
  /// The memory that lanes and placements take, in bytes: an estimate.
  ///
  /// - Complexity: O(parameters)
  public var parameterByteCount: Int {
    placements.reduce(lanes.count * MemoryLayout<GridLane>.stride) {
      $0 + MemoryLayout<GridLanePlacement>.stride + $1.cellKind.utf8.count
    }
  }
}

extension SectionsLayout {
  /// The memory that the entries take, in bytes: an estimate.
  ///
  /// - Complexity: O(parameters)
  public var parameterByteCount: Int {
    layouts.reduce(compositional.parameterByteCount) {
      var bytes = $0 + MemoryLayout<SectionLayout>.stride + $1.name.utf8.count
      if case .gridLanes(let layout) = $1.kind { bytes += layout.parameterByteCount }
      return bytes
    }
  }
}

extension CompositionalSection {
  fileprivate var byteCount: Int {
    MemoryLayout<Self>.stride + name.utf8.count + group.byteCount
      + boundarySupplementaryItems.reduce(0) { $0 + $1.byteCount }
      + backgrounds.reduce(0) { $0 + $1.byteCount }
      + visibleItemEffects.count * MemoryLayout<VisibleItemEffect>.stride + (list?.byteCount ?? 0)
  }
}

extension ListConfiguration {
  fileprivate var byteCount: Int {
    MemoryLayout<Self>.stride + 16
      + rowSeparators.reduce(0) { $0 + MemoryLayout<RowSeparator>.stride + $1.cellKind.utf8.count }
  }
}

extension LayoutGroup {
  fileprivate var byteCount: Int {
    MemoryLayout<Self>.stride + customFrames.count * MemoryLayout<Rect>.stride
      + supplementaryItems.reduce(0) { $0 + $1.byteCount }
      + subitems.reduce(0) { $0 + MemoryLayout<LayoutSubitem>.stride + $1.byteCount }
  }
}

extension LayoutSubitem {
  fileprivate var byteCount: Int {
    switch self {
    case .unspecified: 0
    case .item(let item): item.supplementaryItems.reduce(0) { $0 + $1.byteCount }
    case .group(let group): group.byteCount
    }
  }
}

extension AnchoredSupplementaryItem {
  fileprivate var byteCount: Int { MemoryLayout<Self>.stride + kind.utf8.count }
}

extension BoundarySupplementaryItem {
  fileprivate var byteCount: Int { MemoryLayout<Self>.stride + kind.utf8.count }
}
