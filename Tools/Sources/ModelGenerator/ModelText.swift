import Apus

/// The Swift text of one model.
struct ModelText {
  private let model: PlannedModel
  private let schema: SchemaLines

  init(of model: PlannedModel, among others: [PlannedModel]) {
    self.model = model
    schema = SchemaLines(of: model, among: others)
  }

  /// Whether the text names a type of Foundation.
  var needsFoundation: Bool {
    model.properties.contains { ["Date", "UUID", "Data"].contains($0.type.name) }
  }

  var text: String {
    var lines = header
    lines.append("struct \(model.typeName): \(protocolName) {")
    lines += idStruct
    lines += model.properties.flatMap(declaration)
    lines += members
    if !schema.lines.isEmpty {
      lines += ["", "  static var schema: Schema<\(model.typeName)> {"]
      lines += schema.lines.map { "    \($0)" } + ["  }"]
    }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  private var protocolName: String {
    switch model.kind {
    case .model: "Model"
    case .tableModel: "TableModel"
    case .row: "ResultRow"
    }
  }

  // MARK: Comments

  private var header: [String] {
    let name = model.source.name.inComment
    var lines: [String] = []
    switch model.kind {
    case .model, .tableModel: lines.append("/// A row of the table `\(name)`.")
    case .row(let reason):
      let what = if case .view = model.source.kind { "view" } else { "table" }
      lines.append("/// A row of the \(what) `\(name)`, to be read by the SQL in `allRows`.")
      lines += ["///"] + Self.wrapped("It is no table of a model: \(reason.inComment).", "/// ")
      if case .table = model.source.kind {
      } else {
        lines += ["///"] + Self.wrapped(model.source.definition.inComment, "/// ")
      }
      if model.source.isCut {
        lines +=
          ["///"]
          + Self.wrapped("Only its first rows were read, so that types may be too narrow.", "/// ")
      }
    }
    for note in model.notes { lines += ["///"] + Self.wrapped(note.inComment, "/// ") }
    for comment in schema.comments { lines += ["///"] + Self.wrapped(comment.inComment, "/// ") }
    return lines
  }

  /// Divides a text into lines of a comment, at spaces.
  private static func wrapped(_ text: String, _ prefix: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, prefix.count + line.count + word.count > 98 {
        lines.append(prefix + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + (line.isEmpty ? [] : [prefix + line])
  }

  // MARK: Members

  /// The lines of the struct `ID`. Empty unless the key has several columns.
  private var idStruct: [String] {
    guard model.key.count > 1 else { return [] }
    let members = model.key.map { "    var \(SwiftName.escaped($0.name)): \($0.typeText)" }
    return ["  struct ID: Hashable, Sendable {"] + members + ["  }", ""]
  }

  private func declaration(_ property: PlannedProperty) -> [String] {
    var comments = property.type.notes
    // The reason for a misfit is written here only if the property is an `AnyValue`. Any other
    // reason concerns the whole type, and is in the comment above the type.
    if property.type.name == "AnyValue", let misfit = property.type.misfit {
      comments.append(misfit)
    }
    let wrapper = property.isKey && model.kind == .model ? "@PrimaryKey" : "@Column"
    return comments.flatMap { Self.wrapped($0.inComment, "  // ") }
      + ["  \(wrapper) var \(SwiftName.escaped(property.name)): \(property.typeText)"]
  }

  private var members: [String] {
    var lines: [String] = []
    if model.key.count > 1 {
      let arguments = model.key.map { property in
        "\(SwiftName.label(property.name)): \(SwiftName.escaped(property.name))"
      }
      lines.append("  var id: ID { ID(\(arguments.joined(separator: ", "))) }")
    } else if let key = model.key.first, key.name != "id" {
      lines.append("  var id: \(key.typeText) { \(SwiftName.escaped(key.name)) }")
    }
    if model.isRow {
      let columns = model.properties.map { Identifier($0.column).quoted }.joined(separator: ", ")
      let sql = "SELECT \(columns) FROM \(Identifier(model.source.name).quoted)"
      lines.append("  static let allRows: SQL = \(sql.swiftLiteral)")
    } else if model.typeName != model.source.name {
      lines.append("  static let tableName = \(model.source.name.swiftLiteral)")
    }
    return lines.isEmpty ? [] : [""] + lines
  }
}
