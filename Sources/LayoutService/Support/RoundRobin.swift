// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// A queue for each owner; the owners take turns.
///
/// - Complexity: O(1) for every operation except `remove`.
struct RoundRobin<Owner: Hashable, Element> {
  /// No queue is empty.
  private var queues: [Owner: Deque<Element>] = [:]
  /// The owners in `queues`, each once, the next one first.
  private var order: Deque<Owner> = []
  /// The number of elements in all queues.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Adds an element at the end of its owner's queue.
  mutating func append(_ element: Element, of owner: Owner) {
    count += 1
    if queues[owner]?.append(element) != nil { return }
    queues[owner] = [element]
    order.append(owner)
  }

  /// Puts elements back at the front of their owner's queue.
  mutating func prepend(_ elements: some Collection<Element>, of owner: Owner) {
    guard !elements.isEmpty else { return }
    count += elements.count
    if queues[owner]?.prepend(contentsOf: elements) != nil { return }
    queues[owner] = Deque(elements)
    order.append(owner)
  }

  /// Removes the first element of the owner whose turn it is. The owner then comes last.
  mutating func popFirst() -> Element? { popFirst(1)?.elements.first }

  /// Removes the first elements of the owner whose turn it is. The owner then comes last.
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

  /// Removes an owner's first element that meets a condition.
  ///
  /// - Complexity: O(elements of the owner), plus O(owners) if it was the owner's last element.
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
