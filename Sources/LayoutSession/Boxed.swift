// SPDX-License-Identifier: Apache-2.0

/// Holds an existential behind a reference.
///
/// A struct that holds one itself has a layout unknown to the compiler, which then copies the whole
/// struct, all its references counted, for every call on it: a fourth of the time of a scroll step
/// when a session was like that.
final class Boxed<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
