// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol

/// Compares a viewer's elements with the server's answer to a query for the same rect.
struct MirrorComparison {
  /// The allowed error of an edge, in points: 0 with exact encoding, otherwise half a unit.
  var tolerance: Double

  private static let alphaTolerance = 0.5 / 65535 + 1e-12

  init(encoding: ElementTransport, unitsPerPoint: Int) {
    tolerance = encoding == .packed ? 0.5 / Double(max(1, unitsPerPoint)) + 1e-9 : 0
  }

  /// The differences, one line for each element, at most `limit`; empty if there are none.
  func differences(
    mirrored: some Collection<MirroredElement>,
    expected: [ShownElement],
    limit: Int = 5
  ) -> [String] {
    var differences: [String] = []
    var rest: [ElementKey: ShownElement] = [:]
    for element in expected where rest.updateValue(element, forKey: element.key) != nil {
      differences.append("\(Self.name(of: element.key)): twice in the answer")
    }
    for element in mirrored.sorted(by: { $0.slot < $1.slot }) {
      guard let other = rest.removeValue(forKey: element.key) else {
        differences.append("\(Self.name(of: element.key)): in the mirror but not in the answer")
        continue
      }
      if let difference = difference(element, other) {
        differences.append("\(Self.name(of: element.key)): \(difference)")
      }
    }
    differences += rest.keys.map { "\(Self.name(of: $0)): in the answer but not in the mirror" }
      .sorted()
    return Array(differences.prefix(limit))
  }

  private func difference(_ mirrored: MirroredElement, _ expected: ShownElement) -> String? {
    let (a, b) = (mirrored.attributes, expected.attributes)
    let edges = [
      (a.frame.minX, b.frame.minX), (a.frame.minY, b.frame.minY),
      (a.frame.maxX, b.frame.maxX), (a.frame.maxY, b.frame.maxY),
    ]
    if edges.contains(where: { ($0 - $1).magnitude > tolerance }) {
      return "frame \(a.frame.text) instead of \(b.frame.text)"
    }
    if a.transform != b.transform { return "another transform" }
    if (a.alpha - b.alpha).magnitude > (tolerance == 0 ? 0 : Self.alphaTolerance) {
      return "alpha \(a.alpha) instead of \(b.alpha)"
    }
    if a.zIndex != b.zIndex { return "z-index \(a.zIndex) instead of \(b.zIndex)" }
    if a.isHidden != b.isHidden { return a.isHidden ? "hidden" : "not hidden" }
    if a.custom != b.custom { return "other custom attributes" }
    if !mirrored.itemKey.hasSameBytes(as: expected.itemKey) {
      return "key \"\(mirrored.itemKey)\" instead of \"\(expected.itemKey)\""
    }
    if !mirrored.itemData.utf8.elementsEqual(expected.itemData.utf8) {
      return "other data of its item"
    }
    return nil
  }

  private static func name(of key: ElementKey) -> String {
    "\(key.category.name)\(key.kind.isEmpty ? "" : " \(key.kind)") \(key.indexPath.text)"
  }
}
