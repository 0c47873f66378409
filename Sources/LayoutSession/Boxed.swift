// SPDX-License-Identifier: Apache-2.0

/// A value in a class: for what most sessions do not have, for what sessions share, and for
/// existentials in large structs.
///
/// A struct that contains an existential itself does not have a layout that the compiler knows. The
/// compiler then copies the whole struct for each call on it, and retains all its references: a
/// quarter of the time of a scroll step, when sessions were such structs.
package final class Boxed<Value: Sendable>: Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
