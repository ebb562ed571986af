/// The columns that statements read and the functions that they call, collected while they are
/// prepared.
final class ReadRecorder {
  private(set) var columns: Set<ColumnDependency> = []
  /// The names of the functions, folded to lower case.
  private(set) var functions: Set<String> = []

  func addColumn(
    _ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?,
    _ column: UnsafePointer<CChar>?
  ) {
    columns.insert(
      ColumnDependency(
        database: database.map { String(cString: $0) } ?? "main",
        table: table.map { String(cString: $0) } ?? "",
        column: column.map { String(cString: $0) } ?? ""))
  }

  func addFunction(_ name: UnsafePointer<CChar>?) {
    if let name { functions.insert(String(cString: name).lowercasedASCII) }
  }
}

/// A column that a statement reads or assigns, or a whole table that it reads.
package struct ColumnDependency: Hashable, Sendable {
  package var database: String
  package var table: String
  /// The name of the column; empty if the statement reads the table but no particular column, as
  /// `count(*)` does.
  package var column: String
}
