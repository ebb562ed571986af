import QueryDSL
import SQLCore

// The part of `RowChange.old` and `RowChange.new` that is the same for all models. It is not generic,
// so that only the conversion of a value is compiled for each type.
extension AnyRowChange {
  /// Returns the value of a model's column before the write; nil if the row did not exist.
  @usableFromInline
  func old(ofColumn index: Int, of layout: ModelLayout) throws -> DatabaseValue? {
    old(at: try watchedPlace(ofColumn: index, of: layout))
  }

  /// Returns the value of a model's column after the write; nil if the row is gone.
  @usableFromInline
  func new(ofColumn index: Int, of layout: ModelLayout) throws -> DatabaseValue? {
    new(at: try watchedPlace(ofColumn: index, of: layout))
  }

  private func watchedPlace(
    ofColumn index: Int, of layout: ModelLayout
  ) throws -> DeliveredRows.Place {
    guard let place = place(ofColumn: index, of: layout) else {
      throw DatabaseError.misuse(
        "\(layout.columns[index].name) is not one of the watched columns; add it to `columns:`"
      )
    }
    return place
  }

  /// Reads the value of a model's column as a type. An error names the column.
  @inlinable
  func read<Value: ColumnValue>(
    _ value: DatabaseValue?, ofColumn index: Int, of layout: ModelLayout
  ) throws -> Value? {
    guard let value else { return nil }
    do {
      return try value.read(Value.self, as: layout.columns[index].form)
    } catch {
      throw locate(error, atColumn: index, of: layout)
    }
  }

  @usableFromInline
  func locate(_ error: any Error, atColumn index: Int, of layout: ModelLayout) -> any Error {
    guard let error = error as? ColumnValueError else { return error }
    return error.at(
      table: layout.tableName, column: layout.columns[index].name, row: nil, key: keyValues)
  }
}
