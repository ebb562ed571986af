import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StorageClass {
  /// The type of Swift that holds such values; nil for NULL.
  var swiftType: (any ColumnValue.Type)? {
    switch self {
    case .integer: Int64.self
    case .real: Double.self
    case .text: String.self
    case .blob: Data.self
    case .null: nil
    }
  }
}
