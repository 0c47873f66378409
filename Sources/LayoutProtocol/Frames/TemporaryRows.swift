// SPDX-License-Identifier: Apache-2.0

/// Rows in temporary memory whose size is known beforehand; nothing is allocated.
///
/// Memory is safe while the memory lives: rows are appended up to the capacity, and only appended
/// ones are read.
@safe
struct TemporaryRows<Row: BitwiseCopyable>: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<Row>
  private(set) var count = 0

  /// - Parameter memory: for as long as the rows are used.
  @unsafe
  init(_ memory: UnsafeMutableBufferPointer<Row>) { unsafe self.memory = memory }

  /// - Precondition: there is room.
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

  /// Forgets the rows.
  mutating func removeAll() { count = 0 }

  mutating func sort(by precedes: (Row, Row) -> Bool) {
    var rows = unsafe UnsafeMutableBufferPointer(rebasing: memory[..<count])
    unsafe rows.sort(by: precedes)
  }

  /// Puts the rows into another order.
  ///
  /// - Parameter order: appends each of the rows it is given once.
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
