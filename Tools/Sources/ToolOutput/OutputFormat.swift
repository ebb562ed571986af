/// The forms in which results are written.
package enum OutputFormat: String, Sendable, CaseIterable {
  /// A table for people.
  case table
  /// JSON for programs: an array with one object for each row, or an object of several results.
  case json
  /// CSV for programs, as in RFC 4180. The first line has the names of the columns.
  case csv
}
