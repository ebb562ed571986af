import SQLCore

/// The kinds of cached statements about a single model. A connection finds each by its kind and the
/// number of the model's layout.
enum ModelStatement: UInt8 {
  case find, findWithRowID, insert, insertAssigningKey, insertSeveral, upsert, delete, update

  /// The first byte of the statement's shape, which is greater than those of queries.
  var mark: UInt8 { 0xF8 + rawValue }

  /// The count of numbers that belong to one layout. Updates of one column have the last of them.
  private static let numbersPerLayout = 32

  /// The numbers that are reserved for these statements.
  static let numbers = 0..<(Int(UInt16.max) + 1) * numbersPerLayout

  /// Returns the number of the statement of that kind.
  func number(for layout: ModelLayout) -> Int {
    Int(layout.number) * Self.numbersPerLayout + Int(rawValue)
  }

  /// Returns the number of the statement that updates one column; nil for a column beyond the first
  /// ones.
  static func number(forUpdateOf column: UInt16, of layout: ModelLayout) -> Int? {
    let place = Int(update.rawValue) + Int(column)
    return place < numbersPerLayout ? Int(layout.number) * numbersPerLayout + place : nil
  }
}

extension ConnectionCore {
  /// Lends the statement of that kind for a layout.
  func lendStatement(
    _ kind: ModelStatement, of layout: ModelLayout, sql: () -> String
  ) throws -> StatementPointer {
    try lendStatement(
      number: kind.number(for: layout),
      shape: { key in
        key.append(kind.mark)
        key.append(layout.number)
      },
      sql: sql)
  }
}
