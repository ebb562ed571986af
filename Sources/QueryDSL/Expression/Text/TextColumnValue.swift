import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Most SQL functions return NULL for NULL, so their result is optional if their argument is. Each
// of these protocols expresses that for the argument types of a family of functions, so that a
// function need not be declared a second time for optionals.

/// A text, or an optional text.
public protocol TextColumnValue: ColumnValue {
  /// `Int`, or `Int?` if the text is optional; programs do not use it directly.
  associatedtype IntegerResult: ColumnValue = Int
  /// `String`, or `String?` if the text is optional; programs do not use it directly.
  associatedtype TextResult: ColumnValue = String
}
