// SPDX-License-Identifier: Apache-2.0

/// An optional value stored outside of the struct that has it; only a pointer while there is none.
/// For values that few sessions need.
struct OutOfLine<Value: Sendable>: Sendable {
  /// One value or none: an empty array takes no memory of its own, and arrays copy on write.
  private var storage: [Value] = []

  init(_ value: Value? = nil) { self.value = value }

  var isEmpty: Bool { storage.isEmpty }

  var value: Value? {
    get { storage.first }
    set {
      storage = newValue.map { [$0] } ?? []
    }
    _modify {
      // Moved out, so that it is changed in place without a copy.
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
