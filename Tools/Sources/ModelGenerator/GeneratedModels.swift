import Apus

/// The models of a database file, as Swift text.
///
/// ```swift
/// let models = try db.read { try GeneratedModels(of: $0) }
/// print(models.text)
/// ```
///
/// A program that opens the file with these models has an empty migration plan. If no model of a
/// table allows this, the table becomes a `ResultRow`, and a comment gives the reason.
public struct GeneratedModels: Sendable {
  /// The text of one file.
  public struct File: Sendable {
    /// The name, without `.swift`.
    public let name: String
    /// The text.
    public let text: String
  }

  /// One file for the type of each table or view, and one file for the text that all types share.
  public let files: [File]
  /// All models in one text.
  public let text: String
  /// The names of the models, with which a program opens the database.
  public let modelNames: [String]
  /// The names of the types that can only be read, and not written.
  public let rowNames: [String]
  /// A line for each table or view that has no model, with the reason.
  public let notes: [String]

  /// Generates the models from the schema, all values of the tables, and the first 10,000 rows of
  /// each view.
  ///
  /// - Parameter tables: the names of the tables and views; nil for all.
  public init(of connection: Connection, tables: [String]? = nil) throws {
    let (sources, left) = try connection.sourceTables(tables)
    var taken: Set<String> = []
    let models = sources.map { source in
      // The names must differ by more than case, because on some systems file names that differ
      // only by case stand for the same file.
      var name = SwiftName.type(source.name)
      var number = 2
      while !taken.insert(name.lowercased()).inserted {
        name = SwiftName.type(source.name) + String(number)
        number += 1
      }
      return PlannedModel(source, typeName: name)
    }
    modelNames = models.filter { !$0.isRow }.map(\.typeName)
    rowNames = models.filter(\.isRow).map(\.typeName)
    notes =
      left
      + models.compactMap { model in
        guard case .row(let reason) = model.kind else { return nil }
        return "\(model.source.name) is only read, by \(model.typeName): \(reason)"
      }
    let texts = models.map { ModelText(of: $0, among: models) }
    let shared = Self.shared(
      modelNames, types: Set(models.flatMap { $0.properties.map(\.type.name) }))
    text =
      Self.imports(foundation: texts.contains(where: \.needsFoundation)) + shared + "\n"
      + texts.map(\.text).joined(separator: "\n")
    files =
      [File(name: "AllModels", text: Self.imports(foundation: false) + shared)]
      + zip(models, texts).map { model, text in
        File(
          name: model.typeName,
          text: Self.imports(foundation: text.needsFoundation) + text.text)
      }
  }

  private static func imports(foundation: Bool) -> String {
    (foundation ? "import Apus\nimport Foundation\n" : "import Apus\n") + "\n"
  }

  /// Returns the text that all models share: the list of models, and the declarations of types that
  /// the library does not have.
  private static func shared(_ names: [String], types: Set<String>) -> String {
    let list = names.map { "  \($0).self,\n" }.joined()
    let text = """
      /// The models of all tables, to open the file with:
      /// `try Database(path: path, models: allModels)`
      let allModels: [any TableModel.Type] = [\(names.isEmpty ? "" : "\n" + list)]

      """
    return text
      + SharedType.all.filter { types.contains($0.name) }.map { "\n\($0.text)\n" }.joined()
  }
}

extension Connection {
  /// Returns the tables and views for which a type is generated. For each of the others, returns a
  /// line with the reason why it has no type.
  fileprivate func sourceTables(
    _ names: [String]?
  ) throws -> (sources: [SourceTable], left: [String]) {
    var sources: [SourceTable] = []
    var left: [String] = []
    let rows = try rows(
      """
      SELECT list.name, list.type, coalesce(schema.sql, '') FROM pragma_table_list AS list
      LEFT JOIN sqlite_schema AS schema ON schema.name = list.name
        AND schema.type IN ('table', 'view')
      WHERE list.schema = 'main' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY schema.rowid
      """)
    for row in rows {
      let name: String = try row.get(at: 0)
      let type: String = try row.get(at: 1)
      if let names, !names.contains(where: { $0.isSameName(as: name) }) { continue }
      let definition: String = try row.get(at: 2)
      if name.hasPrefix("apus_")
        || definition.contains("_pending\" /* Apus */ (")
      {
        left.append("\(name) has no model: Apus keeps its notes there")
        continue
      }
      if type == "shadow" {
        left.append("\(name) has no model: a virtual table keeps its content there")
        continue
      }
      do {
        sources.append(
          try SourceTable(
            name, kind: try kind(of: name, type), definition: definition, in: self))
      } catch let error as DatabaseError {
        // This is a view that no longer compiles, or a virtual table whose module is missing.
        left.append("\(name) has no model: it cannot be read (\(error.message))")
      }
    }
    return (sources, left)
  }

  private func kind(of name: String, _ type: String) throws -> SourceTable.Kind {
    if type == "view" { return .view }
    guard type == "table", let description = try tableDescription(of: name) else { return .virtual }
    return .table(description)
  }
}
