import SQLCore

/// The recorded columns of a table that an UPDATE assigns. In all other columns, the new row has
/// the values of the old one.
final class AssignedColumns {
  private let assignments: [ColumnDependency]
  private let table: TrackedTable
  /// The places of the assigned columns among the recorded ones.
  let places: [Int]
  /// Whether a column of the key is assigned.
  let includesKey: Bool

  init(_ assignments: [ColumnDependency], of table: TrackedTable) {
    self.assignments = assignments
    self.table = table
    var names: Set<String> = []
    for assignment in assignments
    where QualifiedTableName(schema: assignment.database, assignment.table) == table.name {
      names.insert(assignment.column.lowercasedASCII)
    }
    places = table.names.places(of: names)
    includesKey = table.names.keys.contains { names.contains($0.lowercasedASCII) }
  }

  /// Returns whether this value was made from the given assignments and table.
  func isOf(_ assignments: [ColumnDependency], _ table: TrackedTable) -> Bool {
    // Equal arrays with the same storage are not compared element by element.
    table === self.table && assignments == self.assignments
  }
}
