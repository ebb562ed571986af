/// A table whose rows cannot be compared.
package struct UncomparedTable: Hashable, Sendable {
  package let name: String
  /// Why they cannot be compared, such as `no such module: vec0`.
  package let reason: String
}
