import SQLCore

/// Which recorded columns of a table an UPDATE assigns: of the others the row after has what the row
/// before had.
final class AssignedColumns {
  private let assignments: [ColumnDependency]
  private let table: TrackedTable
  /// Their places among the recorded columns.
  let places: [Int]
  /// Whether one of the key's columns is among them.
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

  /// Whether it was made for these.
  func isOf(_ assignments: [ColumnDependency], _ table: TrackedTable) -> Bool {
    // Two arrays that are one are not compared any further.
    table === self.table && assignments == self.assignments
  }
}
