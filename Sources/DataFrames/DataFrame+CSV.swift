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
  /// A Bool becomes `true` or `false`, a Date its ISO 8601 text, bytes become base64 and infinity
  /// `inf`; all other cells are written as they are stored. NULL is an empty field; an empty text
  /// and empty bytes are `""`. Text is quoted if it contains a separator, a quotation mark or a
  /// line break, or if it would be read as another type, like the texts `12` and `true`. Throws
  /// `ColumnValueError` for a date whose year does not have four digits, and `DataFrameError` for a
  /// separator that cannot be one.
  ///
  /// - Parameter separator: an ASCII character other than the quotation mark and line breaks.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4180>
  public func csv(separator: Character = ",") throws -> String {
    let byte = try Self.byte(separator)
    guard !columns.isEmpty else { return "" }
    func line(_ fields: [String]) -> String {
      fields.joined(separator: String(separator)) + "\r\n"
    }
    var text = line(columnNames.map { Self.quoted($0, byte, isText: true) })
    for row in 0..<rowCount {
      text += line(
        try columns.map { column in
          let value = column.values[row]
          guard !value.isNull else { return "" }
          return Self.quoted(
            try CellText.text(of: value, as: column.type), byte,
            isText: value.storageClass == .text)
        })
    }
    return text
  }

  private static func quoted(_ text: String, _ separator: UInt8, isText: Bool) -> String {
    let special: Set<UInt8> = [separator, 0x22, 0x0D, 0x0A]
    // An empty field without quotation marks is NULL.
    let mustBeQuoted =
      text.isEmpty || text.utf8.contains(where: special.contains)
      || isText && (CellText.kind(of: text) != nil || text.first == "\u{FEFF}")
    return mustBeQuoted ? "\"" + text.doubled + "\"" : text
  }

  private static func byte(_ separator: Character) throws -> UInt8 {
    guard let byte = separator.asciiValue, ![0x22, 0x0D, 0x0A].contains(byte) else {
      throw DataFrameError(
        "\(separator) cannot separate fields; use an ASCII character other than the quotation mark "
          + "and line breaks")
    }
    return byte
  }

  /// Creates a frame from CSV. The first line names the columns, unless `names` does.
  ///
  /// ```swift
  /// let frame = try DataFrame(csv: text, types: ["id": Int.self, "createdAt": Date.self])
  /// ```
  ///
  /// Lines end with CR LF, LF or CR; a byte order mark at the beginning is skipped. An empty field
  /// is NULL, and `""` is an empty text or empty bytes. A column without a given type is Int64,
  /// Double, Bool or Date if all its fields have that form and none is quoted. A mixture of Int64
  /// and Double is Double, and any other column is String.
  ///
  /// Throws `DataFrameError` if a line has more or fewer fields than there are columns, if a
  /// quotation does not end, if a name occurs twice, or if a field cannot be read as its type. The
  /// message has the line, and the column if one is concerned.
  ///
  /// - Parameters:
  ///   - types: the types of columns, by name. The CSV may have further columns.
  ///   - separator: an ASCII character other than the quotation mark and line breaks.
  ///   - names: the names of the columns, if the first line is a row already.
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
    let type = type?.nonOptional ?? Self.type(of: fields)
    let values = try fields.enumerated().map { row, field -> DatabaseValue in
      if field.text.isEmpty, !field.isQuoted { return .null }
      guard let type else { return .text(field.text) }
      guard let value = CellText.value(field.text, as: type) else {
        throw DataFrameError(
          "line \(lines[row]), \(name): \(field.text.debugDescription) cannot be read as \(type)")
      }
      return value
    }
    self.init(name, type: type, values: values)
  }

  /// Returns the type that all fields have by their form; nil if all are NULL.
  private static func type(of fields: [CSVReader.Field]) -> (any ColumnValue.Type)? {
    let present = fields.filter { !$0.text.isEmpty || $0.isQuoted }
    guard !present.isEmpty else { return nil }
    return CellText.common(present.map { $0.isQuoted ? nil : CellText.kind(of: $0.text) })
      ?? String.self
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
