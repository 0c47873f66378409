// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Compares what a query answered, or what a mirror holds, with a case's expectation.
struct ElementExpectations {
  let tolerance: Tolerance

  func check(_ expect: JSON, elements: [ObservedElement], contentSize: [Double]?) throws {
    if let size = expect["contentSize"]?.numbers, let contentSize {
      guard closeEnough(contentSize, size, tolerance.length) else {
        throw Mismatch("content size \(contentSize), expected \(size)")
      }
    }
    for expected in (expect["elements"]?.list ?? []) + (expect["partial"]?.list ?? []) {
      try find(expected, in: elements).check(expected, tolerance)
    }
    if expect["complete"]?.bool == true { try checkComplete(expect, elements) }
    for expected in expect["absent"]?.list ?? [] {
      if let found = elements.first(where: { $0.isNamed(by: expected) }) {
        throw Mismatch("\(found.name) should not be there")
      }
    }
    for expected in expect["invisible"]?.list ?? [] {
      if let found = elements.first(where: { $0.isNamed(by: expected) }),
        !(found.attributes?.hidden ?? false), found.alpha > tolerance.value
      {
        throw Mismatch("\(found.name) should not be seen")
      }
    }
    if let count = expect["count"]?.int, count != elements.count {
      throw Mismatch("\(elements.count) elements, expected \(count)")
    }
    for pair in expect["inFront"]?.list ?? [] {
      let (front, back) = (
        try find(pair.list[0], in: elements), try find(pair.list[1], in: elements)
      )
      guard (front.attributes?.zIndex ?? 0) > (back.attributes?.zIndex ?? 0) else {
        throw Mismatch("\(front.name) should be in front of \(back.name)")
      }
    }
  }

  func find(_ expected: JSON, in elements: [ObservedElement]) throws -> ObservedElement {
    guard let found = elements.first(where: { $0.isNamed(by: expected) }) else {
      throw Mismatch("\(expected.text) is missing among \(elements.prefix(12).map(\.name))")
    }
    return found
  }

  private func checkComplete(_ expect: JSON, _ elements: [ObservedElement]) throws {
    let categories = expect["completeFor"]?.list.compactMap(\.string)
    let named = (expect["elements"]?.list ?? []) + (expect["partial"]?.list ?? [])
    for element in elements where categories?.contains(element.category) ?? true {
      guard named.contains(where: { element.isNamed(by: $0) }) else {
        throw Mismatch("\(element.name) \(element.frame) is one too many")
      }
    }
  }
}
