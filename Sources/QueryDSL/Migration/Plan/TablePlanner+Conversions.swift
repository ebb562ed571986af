import SQLCore

extension TablePlanner {
  /// Plans the declared conversion of a column, which runs once. If the existing column is stored
  /// differently from the property, the conversion has not run yet. If both are stored alike, the
  /// notes of the database say whether it has run.
  ///
  /// - Returns: true if the conversion runs or is refused, and false if there is nothing to
  ///   convert.
  mutating func convert(
    _ column: TableDefinition.Column, _ difference: ValueDifference
  ) throws -> Bool {
    guard let conversion = column.conversion else { return false }
    let state = planner.conversions.state(
      of: conversion, table: oldName, column: formerName(of: column.name))
    if difference.isOtherClass {
      run(conversion, of: column, difference.reason)
      return true
    }
    if conversion.onlyFillsNull {
      guard difference.losesNull else { return false }
      run(conversion, of: column, difference.reason)
      return true
    }
    switch state {
    case .done where conversion.needsNote: return false
    case .unknown(let types) where conversion.needsNote:
      refuse(
        "\(column.name) was converted \(types), and `Converted` now converts it from "
          + "\(conversion.source.name), but it is not known whether that has run; if it has, "
          + "record it with this step; otherwise convert the values in a step of your own",
        line: "MigrationStep(\(note(of: conversion, column).swiftLiteral), .before) { _ in }"
          + "  // it has run, and the values stay",
        rowCount: try rowCount())
      return true
    case .pending where conversion.needsNote:
      run(
        conversion, of: column,
        "\(column.name) is \(conversion.source.name) in the database and \(conversion.target.name) "
          + "in \(declared.model)")
      return true
    case .done, .pending, .unknown:
      return try convertOthers(column, conversion, difference, isNoted: state.isDone)
    }
  }

  /// Converts the values that still have the old class. A column of the new class may hold them if
  /// the table is not STRICT.
  private mutating func convertOthers(
    _ column: TableDefinition.Column, _ conversion: DeclaredConversion,
    _ difference: ValueDifference, isNoted: Bool
  ) throws -> Bool {
    guard let oldClass = conversion.source.storageClass else { return false }
    let isOld = "typeof(\(oldName(of: column.name))) = '\(oldClass.typeName)'"
    let count = existing.isStrict || isNoted ? 0 : try rows(where: isOld)
    guard count > 0 || difference.losesNull else { return false }
    run(
      conversion, of: column,
      count == 0
        ? difference.reason
        : "\(column.name) holds \(oldClass.rawValue) in the database and is "
          + "\(column.storageClass.rawValue) in \(declared.model)",
      keeping: column.storageClass)
    return true
  }

  /// - Parameter keeping: the storage class of values that stay as they are; nil for none.
  private mutating func run(
    _ conversion: DeclaredConversion, of column: TableDefinition.Column, _ reason: String,
    keeping kept: StorageClass? = nil
  ) {
    let name = Identifier(column.name).quoted
    let stays = kept.map { "'\($0.typeName)'" } ?? "NULL"
    let sql = "apus_convert('\(key(of: column))', \(name), \(stays)\(rowArguments))"
    changes.append(
      Change(reason: reason, kind: conversion.onlyFillsNull ? .lossless : .destructive))
    setSource(column, sql, keepsNull: false)
    guard !conversion.onlyFillsNull else { return }
    conversions.append(ConversionNote(conversion, table: declared.name, column: column.name))
  }

  /// The arguments that identify a row in an error: its key, or its rowid.
  private var rowArguments: String {
    let names =
      existing.key.columns.isEmpty ? existingRowIDName.map { [$0] } ?? [] : existing.key.columns
    guard !names.isEmpty else { return "" }
    let list = DatabaseValue.text(names.joined(separator: ", ")).description
    return ", \(list), \(names.quotedList)"
  }

  private func note(
    of conversion: DeclaredConversion, _ column: TableDefinition.Column
  ) -> String {
    ConversionLog.note(conversion, table: oldName, column: formerName(of: column.name))
  }

  func formerName(of column: String) -> String {
    oldColumnNames[column.lowercasedASCII] ?? existing.column(column)?.name ?? column
  }

  /// Returns the notes for new columns, whose conversions have nothing to convert.
  func needlessConversions(of columns: [TableDefinition.Column]) -> [ConversionNote] {
    columns.compactMap { column in
      guard let conversion = column.conversion, conversion.needsNote else { return nil }
      return ConversionNote(conversion, table: declared.name, column: column.name)
    }
  }
}

/// The difference between an existing and a declared column.
struct ValueDifference {
  let isOtherClass: Bool
  let losesNull: Bool
  /// The difference in the words of a plan.
  let reason: String
}
