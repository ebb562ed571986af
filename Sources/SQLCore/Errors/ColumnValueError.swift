#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An error for a value that cannot be read as its Swift type, or that cannot be stored.
///
/// ```swift
/// do {
///   print(try db.fetch(Post.all).count)
/// } catch let error as ColumnValueError {
///   print(error.table ?? "", error.column ?? "", error.row ?? 0, error.reason)
/// }
/// ```
///
/// Unexpected data never stops the program. This error is thrown instead: for an integer that is
/// out of range, for text that is not UTF-8, for NULL if the type is not optional, and for an
/// unknown enum case.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html>
public struct ColumnValueError: Error, Hashable, Sendable {
  /// The reasons why a value cannot be read or stored.
  public enum Reason: Hashable, Sendable {
    /// The value has a storage class that the type does not read: `expected INTEGER, found TEXT`.
    case mismatch(expected: String, found: String)
    /// The value is NULL, but the type is not optional.
    case null(expected: String)
    /// The value has the right storage class, but is not a value of the type. An example is an
    /// unknown raw value of an enum.
    case invalid(expected: String, found: String)
    /// The Swift value cannot be stored. An example is NaN.
    case unstorable(value: String, reason: String)
  }

  /// The reason why the value cannot be read or stored.
  public var reason: Reason
  /// The table, if it is known.
  public var table: String?
  /// The name of the column, if it is known.
  public var column: String?
  /// The index of the row in the result, or of the model among the given models, counted from 0;
  /// nil if it is not known.
  public var row: Int?
  /// The values of the row's primary key, in the order in which the model declares them; nil if the
  /// statement does not return them. They identify the row for `find`, `update`, or `DELETE … WHERE
  /// "id" = ?`.
  public var key: [DatabaseValue]?
  /// A text with further details about the reason; nil without such details. For JSON, it says
  /// where in the value the mistake is: `there is no value at $.author.name`.
  public var detail: String?

  /// Makes an error. Code that reads a single value usually gives only the reason. The caller that
  /// knows the table, the column and the row adds them.
  public init(
    _ reason: Reason, table: String? = nil, column: String? = nil, row: Int? = nil,
    key: [DatabaseValue]? = nil
  ) {
    self.reason = reason
    self.table = table
    self.column = column
    self.row = row
    self.key = key
  }

  /// Returns the error for a value that has the right storage class, but that is not a value of
  /// `type`.
  public static func invalid(_ found: some Any, as type: Any.Type) -> ColumnValueError {
    ColumnValueError(.invalid(expected: "\(type)", found: excerpt(of: found)))
  }

  /// Returns the error for a value that cannot be stored.
  public static func unstorable(_ value: some Any, _ reason: String) -> ColumnValueError {
    ColumnValueError(.unstorable(value: excerpt(of: value), reason: reason))
  }

  /// Returns the description of a value, shortened so that an error never contains a whole
  /// document.
  private static func excerpt(of value: some Any) -> String {
    // The description of a Date in the distant past or future would crash the program, so it is not
    // used.
    if let date = value as? Date {
      return "a date \(date.timeIntervalSinceReferenceDate) seconds from 2001"
    }
    let text = String(describing: value)
    return text.utf8.count <= 80 ? text : text.prefix(60) + "…"
  }

  package func at(
    table: String?, column: String?, row: Int?, key: @autoclosure () -> [DatabaseValue]? = nil
  ) -> ColumnValueError {
    var located = self
    located.table = self.table ?? table
    located.column = self.column ?? column
    located.row = self.row ?? row
    located.key = self.key ?? key()
    return located
  }

  package func with(detail: String) -> ColumnValueError {
    var detailed = self
    detailed.detail = detail
    return detailed
  }
}

extension ColumnValueError: CustomStringConvertible {
  /// A sentence with the table, the column and the row, the expected type, and the value that was
  /// found. The row is named by its key or, if the key is not known, by its position in the result.
  public var description: String {
    var place = [table, column].compactMap { $0 }.joined(separator: ".")
    if let rowName { place += (place.isEmpty ? "" : ", ") + rowName }
    let what =
      switch reason {
      case .mismatch(let expected, let found): "expected \(expected), found \(found)"
      case .null(let expected):
        "expected \(expected), found NULL; an optional type would accept it"
      case .invalid(let expected, let found): "\(found) cannot be read as \(expected)"
      case .unstorable(let value, let reason): "\(value) cannot be stored: \(reason)"
      }
    return (place.isEmpty ? what : "\(place): \(what)") + (detail.map { ": \($0)" } ?? "")
  }

  private var rowName: String? {
    guard let key, !key.isEmpty else { return row.map { "row \($0)" } }
    let values = key.map(\.description).joined(separator: ", ")
    return "row with the key " + (key.count == 1 ? values : "(\(values))")
  }
}
