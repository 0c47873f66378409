// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

extension FlowLayout {
  /// Whether the element is a cell and the layout has an estimated item size.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    estimatedItemSize != nil && key.category == .cell
  }
}
