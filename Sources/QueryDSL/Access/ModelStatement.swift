import SQLCore

/// The statements about one model that a connection keeps: each is found by its kind and the number
/// of the model's layout.
enum ModelStatement: UInt8 {
  case find, insert, insertAssigningKey, insertSeveral, upsert, delete, update

  /// The first byte of its shape, behind those of queries.
  var mark: UInt8 { 0xF8 + rawValue }

  /// How many numbers the statements of one layout have: those of updates of one column are the last.
  private static let numbersPerLayout = 32

  /// No other statement has one of these.
  static let numbers = 0..<(Int(UInt16.max) + 1) * numbersPerLayout

  /// The number of a statement of that kind.
  func number(for layout: ModelLayout) -> Int {
    Int(layout.number) * Self.numbersPerLayout + Int(rawValue)
  }

  /// The number of the update of one column; nil for the columns behind the first ones.
  static func number(forUpdateOf column: UInt16, of layout: ModelLayout) -> Int? {
    let place = Int(update.rawValue) + Int(column)
    return place < numbersPerLayout ? Int(layout.number) * numbersPerLayout + place : nil
  }
}

extension ConnectionCore {
  /// Lends the one statement of that kind.
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
