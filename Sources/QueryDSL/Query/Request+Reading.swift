import SQLCore

extension Request {
  /// Reads the row at which a statement stands, and tells which column follows those of the query.
  package func read(
    _ statement: StatementPointer, on core: ConnectionCore
  ) throws -> (row: Row, nextColumn: Int) {
    var reader = RowReader(core: core, statement: statement)
    let row = try decoding.one(&reader)
    return (row, reader.position)
  }
}
