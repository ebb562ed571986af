import QueryDSL
import SQLCore

extension DataFrame {
  /// The frame as CSV: a line of names, then a line a row, each ended by CR LF.
  ///
  /// ```swift
  /// try frame.csv().write(toFile: "posts.csv", atomically: true, encoding: .utf8)
  /// ```
  ///
  /// A Bool is `true` or `false`, a Date ISO 8601, bytes are base64, infinity is `inf`, all else is as
  /// it is stored. NULL is an empty field; an empty text and empty bytes are `""`. Text stands in
  /// quotation marks where it holds a separator, a quotation mark or a line break, and where it would
  /// be read as something else: a text `12` or `true`. A date whose year has not four digits throws
  /// `ColumnValueError`.
  ///
  /// - Parameter separator: a character of ASCII.
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
        "\(separator) separates no fields: a character of ASCII, no quotation mark")
    }
    return byte
  }

  /// Reads CSV, whose first line names the columns.
  ///
  /// ```swift
  /// let frame = try DataFrame(csv: text, types: ["id": Int.self, "createdAt": Date.self])
  /// ```
  ///
  /// Lines end with CR LF, LF or CR; a mark of the byte order at the beginning is passed over. An
  /// empty field is NULL, and `""` an empty text, or empty bytes. A column whose type is not said is Int64, Double,
  /// Bool or Date where every field is one and none is quoted, else String. Throws `DataFrameError`
  /// with the line, and the column, for a line that has not as many fields as there are columns, a
  /// quotation that does not end, a name that comes twice, and a field that is none of its type.
  ///
  /// - Parameters:
  ///   - types: by the names of the columns; other columns of the CSV are read as well.
  ///   - separator: a character of ASCII.
  ///   - names: those of the columns, where the first line is a row already.
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
          "line \(record.line): \(record.fields.count) fields, and \(header.count) columns")
      }
      for (index, field) in record.fields.enumerated() { fields[index].append(field) }
      lines.append(record.line)
    }
    let types = Dictionary(
      types.map { ($0.key.lowercasedASCII, $0.value) }, uniquingKeysWith: { first, _ in first })
    try self.init(
      columns: zip(header, fields).map { name, fields in
        try Column(name, fields, lines, as: types[name.lowercasedASCII])
      })
  }
}

extension DataFrame.Column {
  /// A column of CSV.
  fileprivate init(
    _ name: String, _ fields: [CSVReader.Field], _ lines: [Int], as type: (any ColumnValue.Type)?
  ) throws {
    let type = type.map(Self.plain) ?? Self.type(of: fields)
    let values = try fields.enumerated().map { row, field -> DatabaseValue in
      if field.text.isEmpty, !field.isQuoted { return .null }
      guard let type else { return .text(field.text) }
      guard let value = CellText.value(field.text, as: type) else {
        throw DataFrameError(
          "line \(lines[row]), \(name): \(field.text.debugDescription) is no \(type)")
      }
      return value
    }
    self.init(name, type: type, values: values)
  }

  /// The type that all fields show; nil where each is NULL.
  private static func type(of fields: [CSVReader.Field]) -> (any ColumnValue.Type)? {
    let present = fields.filter { !$0.text.isEmpty || $0.isQuoted }
    guard !present.isEmpty else { return nil }
    return CellText.common(present.map { $0.isQuoted ? nil : CellText.kind(of: $0.text) })
      ?? String.self
  }

  /// A type without the question mark.
  static func plain(_ type: any ColumnValue.Type) -> any ColumnValue.Type {
    (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
  }
}

extension String {
  /// With each quotation mark twice.
  fileprivate var doubled: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
