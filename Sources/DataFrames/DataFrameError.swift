import QueryDSL
import SQLCore

/// An error found while building, reading or writing a data frame.
public struct DataFrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, with the line or the column that it concerns.
  public let message: String

  init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
