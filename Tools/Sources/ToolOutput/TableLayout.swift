/// The way in which rows are shown to people.
package struct TableLayout: Sendable {
  /// The forms of a table.
  package enum Form: Sendable {
    /// A frame, as wide as the terminal at most.
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
