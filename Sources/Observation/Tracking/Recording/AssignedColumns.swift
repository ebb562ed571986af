import SQLCore

/// The recorded columns of a table that an UPDATE assigns. In all other columns, the new row has
/// the values of the old one.
final class AssignedColumns {
  /// The columns, in memory that their owner frees: they are read for each row, without retaining
  /// anything.
  struct Columns: BitwiseCopyable {
    /// The places of the assigned columns among the recorded ones.
    let places: UnsafeBufferPointer<Int>
    /// Whether a column of the key is assigned.
    let includesKey: Bool
  }

  /// The statement and the table that the columns belong to. It identifies both as long as the owner
  /// of the columns lives, which holds them.
  struct Identity: BitwiseCopyable, Equatable {
    /// The address of the statement's assignments.
    let assignments: UnsafeRawPointer
    let table: ObjectIdentifier
  }

  private let assignments: [ColumnDependency]
  private let table: TrackedTable
  let identity: Identity
  let columns: Columns

  init(_ assignments: [ColumnDependency], at address: UnsafeRawPointer, of table: TrackedTable) {
    self.assignments = assignments
    self.table = table
    identity = Identity(assignments: address, table: ObjectIdentifier(table))
    var names: Set<String> = []
    for assignment in assignments
    where QualifiedTableName(schema: assignment.database, assignment.table) == table.name {
      names.insert(assignment.column.lowercasedASCII)
    }
    let places = table.names.places(of: names)
    let memory = UnsafeMutableBufferPointer<Int>.allocate(capacity: places.count)
    _ = memory.initialize(from: places)
    columns = Columns(
      places: UnsafeBufferPointer(memory),
      includesKey: table.names.keys.contains { names.contains($0.lowercasedASCII) })
  }

  deinit {
    columns.places.deallocate()
  }

  /// Returns whether this value was made from equal assignments and the same table.
  func isOf(_ assignments: [ColumnDependency], _ table: TrackedTable) -> Bool {
    table === self.table && assignments == self.assignments
  }
}
