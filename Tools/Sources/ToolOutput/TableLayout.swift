/// The way in which rows are shown to people.
package struct TableLayout: Sendable {
  /// The forms of a table.
  package enum Form: Sendable {
    /// A table in a frame, at most as wide as the terminal.
    case frame
    /// A line for each value.
    case vertical
    /// Markdown, for documents.
    case markdown
  }

  package var form = Form.frame
  package var showsRowNumbers = false
  package var showsTypes = false

  package init() {}
}
