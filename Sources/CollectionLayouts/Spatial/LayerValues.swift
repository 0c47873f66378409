// SPDX-License-Identifier: Apache-2.0

/// One value for each layer of a spatial layout.
///
/// Mostly there is one layer, whose value needs no memory of its own: a query of clusters has such
/// values for each square that it looks at.
struct LayerValues<Value> {
  /// The value of the first layer; nil = there are no layers.
  private var first: Value?
  private var others: [Value]

  /// - Parameter count: the number of layers.
  /// - Parameter value: called with the index of each layer, in order.
  @inline(__always)
  init(count: Int, _ value: (Int) -> Value) {
    first = count > 0 ? value(0) : nil
    others = count > 1 ? (1 ..< count).map(value) : []
  }
}

extension LayerValues: RandomAccessCollection, MutableCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { first == nil ? 0 : 1 + others.count }

  subscript(layer: Int) -> Value {
    @inline(__always)
    get {
      guard layer == 0, let first else { return others[layer - 1] }
      return first
    }
    @inline(__always)
    set {
      if layer == 0 { first = newValue } else { others[layer - 1] = newValue }
    }
  }
}

extension LayerValues: Sendable where Value: Sendable {}
