// SPDX-License-Identifier: Apache-2.0

/// A value in a class, for existentials in large structs.
///
/// The compiler does not know the layout of a struct that contains an existential. It then copies
/// the whole struct for each call on it, and retains all its references: a quarter of the time of a
/// scroll step, when sessions were such structs.
final class Boxed<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
