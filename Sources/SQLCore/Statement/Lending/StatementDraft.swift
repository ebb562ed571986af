/// The shape of a statement with its values, while they are written.
///
/// A connection lends its memory to the draft, and takes it back when the shape is written.
package struct StatementDraft {
  package var key: StatementKey
  package var values: BoundValues

  /// Makes a draft with memory of its own, which the caller frees with `deallocate()`.
  package init() {
    key = StatementKey()
    key.begin(.shape)
    values = BoundValues()
  }

  init(key: StatementKey, values: BoundValues) {
    self.key = key
    self.values = values
  }

  package func deallocate() {
    key.deallocate()
    values.deallocate()
  }
}

/// A statement that is rendered only if a connection has not prepared it.
package protocol StatementSource {
  /// Returns the SQL of the statement.
  func statementText() throws -> String

  /// Returns the SQL of the statement for a connection, whose tables may need checks.
  func statementText(on core: ConnectionCore) throws -> String
}
