import QueryDSL
import SQLCore

extension DataFrame {
  /// Returns the frame as CSV: a line of names, then a line for each row. Every line ends with CR
  /// LF.
  ///
  /// ```swift
  /// try frame.csv().write(toFile: "posts.csv", atomically: true, encoding: .utf8)
  /// ```
  ///
  /// A Bool becomes `true` or `false`, and a Date becomes a text in ISO 8601. Bytes become base64,
  /// and infinity becomes `inf`. All other cells are written as they are stored. NULL is an empty
  /// field; an empty text and empty bytes are `""`.
  ///
  /// Text is quoted if it contains a separator, a quotation mark or a line break, or begins with a
  /// byte order mark. If the texts of a column, such as `12` and `7`, would be read as another type
  /// when they are not quoted, all fields of the column are quoted.
  ///
  /// Throws `ColumnValueError`, with the column and the row, for a date whose year does not have
  /// four digits and for a text that is not UTF-8. Throws `DataFrameError` for an invalid
  /// separator.
  ///
  /// - Parameter separator: an ASCII character other than the quotation mark and line breaks.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
  public func csv(separator: Character = ",") throws -> String {
    let byte = try Self.byte(separator)
    guard !columns.isEmpty else { return "" }
    func line(_ fields: [String]) -> String {
      fields.joined(separator: String(separator)) + "\r\n"
    }
    let areQuoted = try columns.map { try Self.isAmbiguous($0, byte) }
    var text = line(columnNames.map { Self.field($0, byte, isQuoted: false) })
    for row in 0..<rowCount {
      text += line(
        try zip(columns, areQuoted).map { column, isQuoted in
          guard !column.values[row].isNull else { return "" }
          return Self.field(try column.written(at: row), byte, isQuoted: isQuoted)
        })
    }
    return text
  }

  /// Returns whether the texts of a column would be read as another type if they were not quoted.
  private static func isAmbiguous(_ column: DataFrameColumn, _ separator: UInt8) throws -> Bool {
    guard column.values.contains(where: { $0.storageClass == .text }) else { return false }
    var kinds: [(any ColumnValue.Type)?] = []
    for (row, value) in column.values.enumerated() where !value.isNull {
      let text = try column.written(at: row)
      guard !mustBeQuoted(text, separator), let kind = CellText.kind(of: text) else { return false }
      kinds.append(kind)
    }
    return CellText.common(kinds) != nil || CellText.areNumbers(kinds)
  }

  private static func field(_ text: String, _ separator: UInt8, isQuoted: Bool) -> String {
    isQuoted || mustBeQuoted(text, separator) ? "\"" + text.doubled + "\"" : text
  }

  /// Returns whether a text needs quotation marks to be read back unchanged. An empty field without
  /// quotation marks is NULL.
  private static func mustBeQuoted(_ text: String, _ separator: UInt8) -> Bool {
    text.isEmpty || text.unicodeScalars.first == "\u{FEFF}"
      || text.utf8.contains { $0 == separator || [0x22, 0x0D, 0x0A].contains($0) }
  }

  private static func byte(_ separator: Character) throws -> UInt8 {
    guard let byte = separator.asciiValue, ![0x22, 0x0D, 0x0A].contains(byte) else {
      throw DataFrameError(
        "\(separator) cannot separate fields; use an ASCII character other than the quotation mark "
          + "and line breaks")
    }
    return byte
  }

  /// Creates a frame from CSV. The first line has the names of the columns, unless `names` is
  /// given.
  ///
  /// ```swift
  /// let frame = try DataFrame(csv: text, types: ["id": Int.self, "createdAt": Date.self])
  /// ```
  ///
  /// Lines end with CR LF, LF or CR; a byte order mark at the beginning is skipped. An empty field
  /// is NULL, and `""` is an empty text or empty bytes.
  ///
  /// If you give no type for a column, its fields decide, except those that are NULL:
  ///
  /// - If each field is unquoted, and has exactly the text that `csv()` would write for an Int64,
  ///   the type is Int64. Double, Bool and Date are found in the same way.
  /// - If some fields have the text of an Int64, and all others the text of a Double, the column
  ///   has no type. Its cells are integers and reals. A column in which all fields are NULL has no
  ///   type, either.
  /// - Otherwise, the type is String, so that codes, versions and long numbers do not change:
  ///   `007`, `1.10`, `1e400` and `11898508762506083287` are texts.
  ///
  /// Throws `DataFrameError` if a line has more or fewer fields than there are columns, if a
  /// quotation does not end or is followed by other text, if a field cannot be read as the given
  /// type, if a name occurs twice, or for an invalid separator. If the given type is Double, every
  /// spelling of a number is read, unless digits would be lost: `1.10` is read, but not
  /// `9007199254740993`. The message about a line or a field has the line and, if possible, the
  /// column.
  ///
  /// - Parameters:
  ///   - types: the types of columns, by name. Not every column needs an entry.
  ///   - separator: an ASCII character other than the quotation mark and line breaks.
  ///   - names: the names of the columns, if the CSV has no line of names and its first line is a
  ///     row.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
  public init(
    csv text: String, types: [String: any ColumnValue.Type] = [:],
    separator: Character = ",", names: [String]? = nil
  ) throws {
    var reader = CSVReader(text, separator: try Self.byte(separator))
    guard let header = try names ?? reader.next()?.fields.map(\.text) else {
      self.init()
      return
    }
    var fields = header.map { _ in [CSVReader.Field]() }
    var lines: [Int] = []
    while let record = try reader.next() {
      guard record.fields.count == header.count else {
        throw DataFrameError(
          "line \(record.line) has \(record.fields.count) fields, but there are \(header.count) "
            + "columns")
      }
      for (index, field) in record.fields.enumerated() { fields[index].append(field) }
      lines.append(record.line)
    }
    let types = Dictionary(
      types.map { ($0.key.lowercasedASCII, $0.value) }, uniquingKeysWith: { first, _ in first })
    try self.init(
      columns: zip(header, fields).map { name, fields in
        try DataFrameColumn(name, fields, lines, as: types[name.lowercasedASCII])
      })
  }
}

extension DataFrameColumn {
  /// Creates a column from the fields of CSV.
  fileprivate init(
    _ name: String, _ fields: [CSVReader.Field], _ lines: [Int], as type: (any ColumnValue.Type)?
  ) throws {
    let (type, isMixed) =
      type.map { ($0.nonOptional, false) } ?? Self.type(of: fields)
    let values = try fields.enumerated().map { row, field -> DatabaseValue in
      if field.text.isEmpty, !field.isQuoted { return .null }
      guard let type = isMixed ? CellText.kind(of: field.text) : type else {
        return .text(field.text)
      }
      guard let value = CellText.value(field.text, as: type) else {
        throw DataFrameError(
          "line \(lines[row]), \(name): " + CellText.failure(field.text, as: type))
      }
      return value
    }
    self.init(name, type: type, values: values)
  }

  /// Guesses the type of a column from its fields. The type is nil if all fields are NULL, or if
  /// some are integers and some are reals.
  private static func type(
    of fields: [CSVReader.Field]
  ) -> (type: (any ColumnValue.Type)?, isMixed: Bool) {
    var kinds: [(any ColumnValue.Type)?] = []
    for field in fields where !field.text.isEmpty || field.isQuoted {
      guard !field.isQuoted, let kind = CellText.kind(of: field.text) else {
        return (String.self, false)
      }
      kinds.append(kind)
    }
    guard !kinds.isEmpty else { return (nil, false) }
    if let common = CellText.common(kinds) { return (common, false) }
    return CellText.areNumbers(kinds) ? (nil, true) : (String.self, false)
  }
}

extension String {
  /// The text with each quotation mark doubled.
  fileprivate var doubled: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
