#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StorageClass {
  /// The Swift type for values of this class, where a column declares no type of its own; nil for
  /// NULL.
  package var valueType: (any ColumnValue.Type)? {
    switch self {
    case .integer: Int64.self
    case .real: Double.self
    case .text: String.self
    case .blob: Data.self
    case .null: nil
    }
  }
}
