import SQLCore

/// The error for a query that is not valid SQL, found before any SQL runs.
public struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error message, with the table or clause that it concerns.
  public let message: String

  package init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
