// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

extension ListLayout {
  /// Rows take the height that was measured; headers and footers have their own.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    isSelfSizing && key.category == .cell
  }
}
