// SPDX-License-Identifier: Apache-2.0

/// An optional value outside of the value that holds it, which takes a pointer and nothing else as long as
/// there is none. For what few sessions need.
struct OutOfLine<Value: Sendable>: Sendable {
  /// One value or none: an array without elements takes no memory of its own, and it copies on write.
  private var storage: [Value] = []

  init(_ value: Value? = nil) { self.value = value }

  var isEmpty: Bool { storage.isEmpty }

  var value: Value? {
    get { storage.first }
    set {
      storage = newValue.map { [$0] } ?? []
    }
    _modify {
      // Taken out, so that a change in place copies nothing.
      var value = storage.popLast()
      defer {
        if let value {
          storage.append(value)
        } else if storage.capacity > 0 {
          storage = []
        }
      }
      yield &value
    }
  }
}

extension OutOfLine: Equatable where Value: Equatable {}
extension OutOfLine: Hashable where Value: Hashable {}
