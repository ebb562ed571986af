#if canImport(TabularData)
  import Foundation
  import SQLCore
  import TabularData

  extension DataFrame {
    /// Returns the frame as a data frame of Apple's TabularData. A column of Bool or Date keeps its
    /// type. Any other column becomes Int64, Double, String or Data, by the storage class of its
    /// type. A column without a type becomes String.
    ///
    /// Throws `ColumnValueError` for a cell that its column's type cannot read.
    public func tabularData() throws -> TabularData.DataFrame {
      var frame = TabularData.DataFrame()
      for column in columns {
        func append<Value: ColumnValue>(_ type: Value.Type) throws {
          frame.append(
            column: TabularData.Column<Value>(
              name: column.name, contents: try column.values(as: type)))
        }
        switch (column.type, column.type?.storageClass) {
        case (let type?, _) where type == Bool.self: try append(Bool.self)
        case (let type?, _) where type == Date.self: try append(Date.self)
        case (_, .integer?): try append(Int64.self)
        case (_, .real?): try append(Double.self)
        case (_, .text?): try append(String.self)
        case (_, .blob?): try append(Data.self)
        default:
          frame.append(
            column: TabularData.Column<String>(
              name: column.name, contents: (0..<rowCount).map { column.text(at: $0) }))
        }
      }
      return frame
    }

    /// Creates a frame from a frame of TabularData. Throws `DataFrameError` for a column whose type
    /// is not Int, Int64, Double, Float, String, Data, Bool or Date.
    public init(_ frame: TabularData.DataFrame) throws {
      self.init()
      for column in frame.columns { try append(Self.column(column)) }
    }

    private static func column(_ column: TabularData.AnyColumn) throws -> DataFrameColumn {
      func made<Value: ColumnValue>(_ type: Value.Type) throws -> DataFrameColumn {
        try DataFrameColumn(column.name, column.assumingType(type).map { $0 })
      }
      switch column.wrappedElementType {
      case is Int.Type: return try made(Int.self)
      case is Int64.Type: return try made(Int64.self)
      case is Double.Type: return try made(Double.self)
      case is Float.Type: return try made(Float.self)
      case is String.Type: return try made(String.self)
      case is Data.Type: return try made(Data.self)
      case is Bool.Type: return try made(Bool.self)
      case is Date.Type: return try made(Date.self)
      default:
        throw DataFrameError(
          "the column \(column.name) has the type \(column.wrappedElementType), which a data frame "
            + "cannot store")
      }
    }
  }
#endif
