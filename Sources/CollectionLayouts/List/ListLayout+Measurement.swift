// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

extension ListLayout {
  /// Whether the element is a row and rows are self-sizing. Headers and footers keep their heights.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    isSelfSizing && key.category == .cell
  }
}
