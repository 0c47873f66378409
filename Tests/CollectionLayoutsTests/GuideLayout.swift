// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import CollectionModel
import LayoutGeometry

// MARK: - What follows is the code of Documentation/guides/own-layout.md

/// A flow whose cells are turned, every other one the other way.
public struct TiltedFlowLayout: CustomCollectionLayout {
  public static let name = "tilted_flow"

  /// In radians, at most 1.
  public var angle = 0.05
  private let flow = FlowLayout()

  public init() {}

  public init?(parameters: [String: CustomValue], findings: inout LayoutFindings) {
    for (name, value) in parameters {
      if name == "angle", case .number(let angle) = value, angle.magnitude <= 1 {
        self.angle = angle
      } else {
        findings.reject(name, "only angle is known, a number from -1 to 1")
      }
    }
    if !findings.violations.isEmpty { return nil }
  }

  public var parameters: [String: CustomValue] { ["angle": .number(angle)] }

  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    TiltedFlow(flow: flow.prepare(context), angle: angle)
  }
}

/// What the flow answers, with its cells turned.
private struct TiltedFlow: PreparedLayout {
  let flow: any PreparedLayout
  let angle: Double

  var context: LayoutContext { flow.context }
  var contentSize: Size { flow.contentSize }
  var kindNames: [String] { flow.kindNames }
  var scrollAxis: ScrollAxis? { flow.scrollAxis }
  var byteCount: Int { flow.byteCount }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    // A turned cell reaches beyond its frame, by less than a viewport.
    var found = buffer.emptied()
    flow.appendElements(in: rect.widened(by: 200), viewport: viewport, to: &found)
    buffer.endIfCutShort(found)
    for element in found.elements where !buffer.isCutShort {
      let attributes = turned(found.attributes(of: element), at: element.indexPath)
      guard attributes.boundingBox.meets(rect) else { continue }
      buffer.append(
        attributes,
        category: element.category,
        kind: element.kind,
        indexPath: element.indexPath
      )
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    flow.attributes(of: key, viewport: viewport).map { turned($0, at: key.indexPath) }
  }

  private func turned(_ attributes: LayoutAttributes, at path: IndexPath) -> LayoutAttributes {
    guard let item = path.item else { return attributes }
    var attributes = attributes
    attributes.transform = .rotation(item.isMultiple(of: 2) ? angle : -angle)
    return attributes
  }
}
