import SQLCore

extension Query {
  /// Reads the statement's current row, and returns it with the index of the next column after it.
  package func read(
    _ statement: StatementPointer, on core: ConnectionCore
  ) throws -> (row: Row, nextColumn: Int) {
    var reader = RowReader(core: core, statement: statement)
    let row = try decoding.one(&reader)
    return (row, reader.position)
  }
}
