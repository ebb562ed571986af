#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that cannot be read as its Swift type, or that cannot be stored.
///
/// Nothing traps on data: an integer out of range, text that is no UTF-8, a NULL where the type is
/// not optional and an unknown enum case all end here.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html>
public struct ColumnValueError: Error, Hashable, Sendable {
  /// What was wrong with the value.
  public enum Reason: Hashable, Sendable {
    /// The storage class is another than the type reads: `expected INTEGER, found TEXT`.
    case mismatch(expected: String, found: String)
    /// A NULL where the type is not optional.
    case null(expected: String)
    /// The storage class is right, yet the value is none of the type's.
    case invalid(expected: String, found: String)
    /// A Swift value for which there is no stored form, such as NaN.
    case unstorable(value: String, reason: String)
  }

  /// What was wrong.
  public var reason: Reason
  /// The table, where it is known.
  public var table: String?
  /// The column's name, where it is known.
  public var column: String?
  /// The row of the result or of the models given, from 0, where it is known.
  public var row: Int?

  /// An error without a place; whoever knows table, column and row adds them.
  public init(_ reason: Reason, table: String? = nil, column: String? = nil, row: Int? = nil) {
    self.reason = reason
    self.table = table
    self.column = column
    self.row = row
  }

  /// The value is of the right storage class but none of `type`'s values.
  public static func invalid(_ found: some Any, as type: Any.Type) -> ColumnValueError {
    ColumnValueError(.invalid(expected: "\(type)", found: excerpt(of: found)))
  }

  /// There is no stored form for `value`.
  public static func unstorable(_ value: some Any, _ reason: String) -> ColumnValueError {
    ColumnValueError(.unstorable(value: excerpt(of: value), reason: reason))
  }

  /// Long values are cut, so that an error never carries a whole document.
  private static func excerpt(of value: some Any) -> String {
    // The description of a Date far from today traps.
    if let date = value as? Date {
      return "a date \(date.timeIntervalSinceReferenceDate) seconds from 2001"
    }
    let text = String(describing: value)
    return text.utf8.count <= 80 ? text : text.prefix(60) + "…"
  }

  package func at(table: String?, column: String?, row: Int?) -> ColumnValueError {
    var located = self
    located.table = self.table ?? table
    located.column = self.column ?? column
    located.row = self.row ?? row
    return located
  }
}

extension ColumnValueError: CustomStringConvertible {
  /// The place, what was expected, and what was found.
  public var description: String {
    var place = [table, column].compactMap { $0 }.joined(separator: ".")
    if let row { place += (place.isEmpty ? "" : ", ") + "row \(row)" }
    let what =
      switch reason {
      case .mismatch(let expected, let found): "expected \(expected), found \(found)"
      case .null(let expected): "expected \(expected), found NULL; an optional would take it"
      case .invalid(let expected, let found): "\(found) is no value of \(expected)"
      case .unstorable(let value, let reason): "\(value) cannot be stored: \(reason)"
      }
    return place.isEmpty ? what : "\(place): \(what)"
  }
}
