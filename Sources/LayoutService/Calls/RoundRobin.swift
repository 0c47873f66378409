// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Queues that take turns: what waits, by whom it belongs to.
///
/// - Complexity: O(1) for every operation, but for `remove`.
struct RoundRobin<Owner: Hashable, Element> {
  /// No queue is empty.
  private var queues: [Owner: Deque<Element>] = [:]
  /// The owners of `queues`, each once, the next first.
  private var order: Deque<Owner> = []
  /// All elements.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Adds an element behind those of its owner.
  mutating func append(_ element: Element, of owner: Owner) {
    count += 1
    if queues[owner]?.append(element) != nil { return }
    queues[owner] = [element]
    order.append(owner)
  }

  /// Puts elements back before those of their owner.
  mutating func prepend(_ elements: some Collection<Element>, of owner: Owner) {
    guard !elements.isEmpty else { return }
    count += elements.count
    if queues[owner]?.prepend(contentsOf: elements) != nil { return }
    queues[owner] = Deque(elements)
    order.append(owner)
  }

  /// Takes out the first element of the owner whose turn it is, who comes last then.
  mutating func popFirst() -> Element? { popFirst(1)?.elements.first }

  /// Takes out the first elements of the owner whose turn it is, who comes last then.
  ///
  /// - Parameter most: the most elements, at least 1.
  mutating func popFirst(_ most: Int) -> (owner: Owner, elements: [Element])? {
    guard let owner = order.popFirst(), let all = queues[owner] else { return nil }
    let elements = Array(all.prefix(max(1, most)))
    count -= elements.count
    if elements.count < all.count {
      queues[owner]?.removeFirst(elements.count)
      order.append(owner)
    } else {
      queues[owner] = nil
    }
    return (owner, elements)
  }

  /// Takes out an owner's first element that meets a condition.
  ///
  /// - Complexity: O(elements of the owner); O(owners) besides if it was the last one.
  mutating func remove(of owner: Owner, where isWanted: (Element) -> Bool) -> Element? {
    guard let index = queues[owner]?.firstIndex(where: isWanted) else { return nil }
    count -= 1
    let element = queues[owner]?.remove(at: index)
    if queues[owner]?.isEmpty == true {
      queues[owner] = nil
      order.removeAll { $0 == owner }
    }
    return element
  }
}
