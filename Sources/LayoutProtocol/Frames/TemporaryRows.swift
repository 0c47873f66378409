// SPDX-License-Identifier: Apache-2.0

/// A growing array in temporary memory of a fixed capacity; it allocates nothing.
///
/// Safe for as long as the memory is valid: appending checks the capacity, and reading checks that
/// the row has been appended.
@safe
struct TemporaryRows<Row: BitwiseCopyable>: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<Row>
  private(set) var count = 0

  /// - Parameter memory: must be valid for as long as the rows are used.
  @unsafe
  init(_ memory: UnsafeMutableBufferPointer<Row>) { unsafe self.memory = memory }

  /// Appends a row.
  ///
  /// - Precondition: `count` is below the capacity.
  @inline(__always)
  mutating func append(_ row: Row) {
    precondition(unsafe count < memory.count)
    unsafe memory.initializeElement(at: count, to: row)
    count += 1
  }

  @inline(__always)
  subscript(index: Int) -> Row {
    get {
      precondition(index >= 0 && index < count)
      return unsafe memory[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe memory[index] = newValue
    }
  }

  /// Removes all rows.
  mutating func removeAll() { count = 0 }

  mutating func sort(by precedes: (Row, Row) -> Bool) {
    var rows = unsafe UnsafeMutableBufferPointer(rebasing: memory[..<count])
    unsafe rows.sort(by: precedes)
  }

  /// Reorders the rows.
  ///
  /// - Parameter order: gets the rows and a closure, which it calls once with each of them, in the
  ///   new order.
  mutating func reorder(_ order: (borrowing TemporaryRows, (Row) -> Void) -> Void) {
    unsafe withUnsafeTemporaryAllocation(of: Row.self, capacity: count) { copy in
      var old = unsafe TemporaryRows(copy)
      for index in 0 ..< count { old.append(self[index]) }
      let all = count
      count = 0
      order(old) { append($0) }
      precondition(count == all)
    }
  }
}
