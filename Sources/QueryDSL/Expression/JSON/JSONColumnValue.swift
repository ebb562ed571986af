import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON of a Codable type, or an optional of it.
public protocol JSONColumnValue: ColumnValue {}
