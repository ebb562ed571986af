import QueryDSL
import SQLCore

/// The difference between a declared column and the existing column, as far as it concerns the
/// stored values.
struct ValueDifference {
  let isOtherClass: Bool
  let losesNull: Bool
  /// The difference, as a plan prints it.
  let reason: String
}

/// Finds out whether the conversion that `Converted` declares for a column has run already, because
/// each conversion must run only once.
struct ConversionComparer: TableComparer {
  let table: TableComparison

  /// Returns the differences of a column whose conversion runs or is refused; nil if there is
  /// nothing to convert.
  ///
  /// If the existing column is stored differently from the property, the conversion has not run
  /// yet. If both are stored alike, the notes in the database show whether it has run.
  func differences(
    _ column: TableDefinition.Column, _ difference: ValueDifference
  ) throws -> [TableDifference]? {
    guard let conversion = column.conversion else { return nil }
    if difference.isOtherClass { return run(conversion, of: column, difference.reason) }
    if conversion.onlyFillsNull {
      return difference.losesNull ? run(conversion, of: column, difference.reason) : nil
    }
    let state = state(of: conversion, column)
    switch state {
    case .done where conversion.needsNote: return nil
    case .unknown(let types) where conversion.needsNote:
      return [
        refusal(
          "\(column.name) was converted \(types), and `Converted` now converts it from "
            + "\(conversion.source.name), but it is not known whether that has run; if it has, "
            + "record it with this step; otherwise convert the values in a step of your own",
          line: "MigrationStep(\(note(of: conversion, column).swiftLiteral), .before) { _ in }"
            + "  // it has run, and the values stay",
          rows: .all)
      ]
    case .pending where conversion.needsNote:
      return run(
        conversion, of: column,
        "\(column.name) is \(conversion.source.name) in the database and \(conversion.target.name) "
          + "in \(declared.model)")
    case .done, .pending, .unknown:
      return try convertingOthers(column, conversion, difference, isNoted: state.isDone)
    }
  }

  /// Returns whether the declared conversion may still have to run. In this case, the existing
  /// values need no examination, because the conversion itself reads them.
  func mayRun(_ column: TableDefinition.Column, _ found: ExistingTable.Column) -> Bool {
    guard let conversion = column.conversion else { return false }
    guard conversion.needsNote else { return found.form == nil }
    return !state(of: conversion, column).isDone
  }

  private func state(
    of conversion: DeclaredConversion, _ column: TableDefinition.Column
  ) -> ConversionNotes.State {
    planner.conversions.state(
      of: conversion, table: names.table, column: formerName(of: column.name))
  }

  /// Returns the differences that convert those values which still have the storage class of the
  /// old type. A table that is not STRICT may hold such values, even if the type of the column has
  /// already been changed.
  private func convertingOthers(
    _ column: TableDefinition.Column, _ conversion: DeclaredConversion,
    _ difference: ValueDifference, isNoted: Bool
  ) throws -> [TableDifference]? {
    guard let oldClass = conversion.source.storageClass else { return nil }
    let isOld = "typeof(\(names.quoted(column.name))) = '\(oldClass.typeName)'"
    let isFound = existing.isStrict || isNoted ? false : try rows.hasRow(where: isOld)
    guard isFound || difference.losesNull else { return nil }
    return run(
      conversion, of: column,
      isFound
        ? "\(column.name) holds \(oldClass.rawValue) in the database and is "
          + "\(column.storageClass.rawValue) in \(declared.model)"
        : difference.reason,
      keeping: column.storageClass)
  }

  /// Returns the differences that run a conversion, with a note that it has run. A conversion that
  /// only replaces NULL needs no note.
  ///
  /// - Parameter keeping: values of this storage class stay unchanged; nil if all values are
  ///   converted.
  private func run(
    _ conversion: DeclaredConversion, of column: TableDefinition.Column, _ reason: String,
    keeping kept: StorageClass? = nil
  ) -> [TableDifference] {
    let name = Identifier(column.name).quoted
    let stays = kept.map { "'\($0.typeName)'" } ?? "NULL"
    let sql = "apus_convert('\(key(of: column))', \(name), \(stays)\(rowArguments))"
    let differences = [
      change(reason, kind: conversion.onlyFillsNull ? .lossless : .destructive),
      value(of: column, sql, keepsNull: false),
    ]
    guard !conversion.onlyFillsNull else { return differences }
    return differences + [
      .conversion(ConversionNote(conversion, table: declared.name, column: column.name))
    ]
  }

  /// The last arguments of `apus_convert`, which identify a row in an error: its key, or its rowid.
  private var rowArguments: String {
    let names =
      existing.key.columns.isEmpty ? existing.rowIDName.map { [$0] } ?? [] : existing.key.columns
    guard !names.isEmpty else { return "" }
    let list = DatabaseValue.text(names.joined(separator: ", ")).description
    return ", \(list), \(names.quotedList)"
  }

  private func note(
    of conversion: DeclaredConversion, _ column: TableDefinition.Column
  ) -> String {
    ConversionNotes.note(conversion, table: names.table, column: formerName(of: column.name))
  }

  private func formerName(of column: String) -> String {
    names.former(column) ?? existing.column(column)?.name ?? column
  }
}

extension TableDefinition {
  /// Returns the notes that record the conversions of new columns as done. New columns have no
  /// values to convert.
  func needlessConversions(of columns: [Column]) -> [ConversionNote] {
    columns.compactMap { column in
      guard let conversion = column.conversion, conversion.needsNote else { return nil }
      return ConversionNote(conversion, table: name, column: column.name)
    }
  }
}
