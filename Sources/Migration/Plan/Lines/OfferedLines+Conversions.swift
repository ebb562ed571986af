import QueryDSL
import SQLCore

/// A Swift expression that converts a text, which another program stored, to a number or a Bool.
/// `keeps` returns whether the expression converts a given text without loss.
private struct TextConversion {
  let expression: String
  let keeps: (String) -> Bool

  static func all(for type: ColumnType) -> [TextConversion] {
    switch type.numberKind {
    case .integer:
      [
        TextConversion(expression: "\(type.name)($0) ?? 0") { type.readsInteger(Int64($0)) },
        TextConversion(expression: "\(type.name)(exactly: Double($0) ?? .nan) ?? 0") { text in
          type.readsInteger(text.isPlainNumber ? Double(text).flatMap(Int64.init(exactly:)) : nil)
        },
      ]
    case .real:
      // A Double can store every number of up to 15 decimal digits without loss, and a Float every
      // number of up to 6.
      [
        TextConversion(expression: "\(type.name)($0) ?? .nan") { text in
          text.isPlainNumber
            && text.utf8.count { (48...57).contains($0) }
              <= (type.name == "Float" ? 6 : 15)
        }
      ]
    case .bool:
      [
        TextConversion(expression: #"$0 == "1" || $0.lowercased() == "true""#) { text in
          ["0", "1", "false", "true"].contains(text.lowercased())
        }
      ]
    case nil: []
    }
  }
}

extension OfferedLines {
  /// Returns the lines to paste for values that are not converted automatically. If one conversion
  /// keeps all values, that is the only line. Otherwise the first line declares the column so that
  /// its values stay unchanged. The last line converts the values or deletes their rows, and says
  /// how many values are lost.
  func converting(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, lost: Int
  ) throws -> [String] {
    let oldClass = try storageClass(of: found)
    let type = column.type
    let allowsNull = !found.isNotNull
    if oldClass == .text, let keeping = try keepingConversion(of: column) {
      return [type.convertedLine(from: "String", by: keeping, allowsNull: allowsNull)]
    }
    let stored = oldClass.map {
      type.declaration(of: $0, isOptional: allowsNull || type.isOptional)
    }
    let keeping = try stored.map { "\($0)  // keeps the values as they are" } ?? textLine(column)
    let lossy = lossyLine(column, oldClass, allowsNull: allowsNull, lost: lost)
    return keeping.map { [$0, lossy] } ?? [lossy]
  }

  /// Returns the line that keeps values of several classes as text; nil if a value cannot become
  /// text without loss.
  private func textLine(_ column: TableDefinition.Column) throws -> String? {
    let change = ValueChange(column: names.quoted(column.name), target: .text)
    guard try rows.count(where: "NOT (\(change.isLossless))") == 0 else { return nil }
    let nulls = try rows.count(where: "\(change.column) IS NULL")
    let stored = column.type.declaration(of: .text, isOptional: nulls > 0)
    return "\(stored)  // keeps the values, as text"
  }

  /// Returns the lines to paste for a column that holds NULL although its property is not optional.
  func replacingNull(_ column: TableDefinition.Column, _ found: ExistingTable.Column) -> [String] {
    let type = column.type
    let optional = type.declaration(isOptional: true)
    guard StorageClass(declaredType: found.type) == column.storageClass,
      let empty = type.emptyValue
    else { return [optional] }
    return [
      optional,
      "Converted(\(type.path), from: \(type.qualifiedName)?.self) { $0 ?? \(empty) }  // NULL becomes \(empty)",
    ]
  }

  /// Returns the first expression of `TextConversion.all(for:)`, such as `Int($0) ?? 0`, that
  /// converts all texts of a column without loss. Returns nil if there is no such expression.
  private func keepingConversion(of column: TableDefinition.Column) throws -> String? {
    var conversions = TextConversion.all(for: column.type)
    guard !conversions.isEmpty else { return nil }
    let name = names.quoted(column.name)
    let sql = "SELECT \(name) FROM \(names.quotedTable) WHERE \(name) IS NOT NULL"
    try rows.connection.forEach(SQL(unsafe: sql)) { row in
      guard let value = try? row.databaseValue(at: 0), case .text(let text) = value else {
        return conversions = []
      }
      conversions.removeAll { !$0.keeps(text) }
    }
    return conversions.first?.expression
  }

  private func lossyLine(
    _ column: TableDefinition.Column, _ oldClass: StorageClass?, allowsNull: Bool, lost: Int
  ) -> String {
    let type = column.type
    let expression: String? =
      switch (oldClass, type.numberKind) {
      case (.text?, .integer?): "\(type.name)($0) ?? 0"
      case (.real?, .integer?): "\(type.name)(exactly: $0.rounded()) ?? 0"
      default: nil
      }
    // In a key, the conversion could give the value 0 to several rows. The line then deletes the
    // rows instead.
    guard let expression, let oldClass, !type.isKey else { return deleting(column.name, lost) }
    return type.convertedLine(from: oldClass.swiftType, by: expression, allowsNull: allowsNull)
      + losing(lost, of: column.name)
  }
}

extension ColumnType {
  fileprivate enum NumberKind {
    case integer, real, bool
  }

  fileprivate var numberKind: NumberKind? {
    switch emptyValue {
    case "false": .bool
    case "0": reads(.real(0.5), as: .standard) ? .real : .integer
    default: nil
    }
  }

  fileprivate func readsInteger(_ integer: Int64?) -> Bool {
    integer.map { reads(.integer($0), as: storedForm) } ?? false
  }

  /// Returns the line that converts values:
  /// `Converted(\.$price, from: String.self) { Int($0) ?? 0 }`
  func convertedLine(from old: String, by expression: String, allowsNull: Bool) -> String {
    guard allowsNull else { return "Converted(\(path), from: \(old).self) { \(expression) }" }
    guard isOptional else {
      return
        "Converted(\(path), from: \(old)?.self) { $0.map { \(expression) } ?? \(emptyValue ?? "") }"
    }
    return "Converted(\(path), from: \(old)?.self) { $0.map { \(expression) } }"
  }

  /// Returns the declaration of the property with the type that holds all values of a storage
  /// class.
  func declaration(of storageClass: StorageClass, isOptional: Bool) -> String {
    // A key may be optional only if the database assigns its values.
    let isOptional = isKey ? self.isOptional && storageClass == .integer : isOptional
    return ColumnType(
      storageClass: storageClass, isOptional: isOptional, name: property, isKey: isKey
    ).declaration()
  }
}

extension String {
  /// Whether the text consists of digits, with an optional minus sign and decimal point.
  var isPlainNumber: Bool {
    var digits = utf8[...]
    if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }
  }
}
