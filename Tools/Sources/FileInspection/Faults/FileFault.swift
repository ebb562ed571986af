import Apus

/// A fault in a file: damage, a reference to a missing row, or an index that disagrees with its
/// text.
package struct FileFault: Sendable, Equatable {
  package let kind: String
  package let table: String?
  package let row: DatabaseValue
  package let text: String

  package init(kind: String, table: String?, row: DatabaseValue = .null, text: String) {
    self.kind = kind
    self.table = table
    self.row = row
    self.text = text
  }

  /// The names of the columns in a table of faults.
  package static let columns = ["kind", "table", "row", "fault"]

  package var values: [DatabaseValue] {
    [.text(kind), table.map { .text($0) } ?? .null, row, .text(text)]
  }
}
