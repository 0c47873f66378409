// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

extension FlowLayout {
  /// Items with an estimated size take the one that was measured.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    estimatedItemSize != nil && key.category == .cell
  }
}
