import SQLCore

/// A member of a JSON object that a query makes: its key and its value.
struct JSONProperty {
  /// The key; nil for an expression without a name.
  let key: String?
  let value: ExpressionNode

  /// The error for a group of columns, which is an object in the JSON of its model.
  static let ofGroup = JSONProperty(
    key: "",
    value: .invalid(
      QueryError(
        "jsonObject: a group of columns cannot be a member; name its columns, as in $0.$home.$city"
      )))
}

extension Selectable {
  /// The members that a selected item adds to a JSON object.
  var jsonProperties: [JSONProperty] {
    let item = selectItem
    if item.group != nil { return [.ofGroup] }
    do {
      let columns = try item.columns()
      switch item.term {
      case .expression(let node):
        return columns.map {
          JSONProperty(key: node.property ?? $0.name, value: node.asJSON(of: $0.type, $0.form))
        }
      case .aliased(let node, let name):
        return columns.map { JSONProperty(key: name, value: node.asJSON(of: $0.type, $0.form)) }
      case .table(let table):
        guard let layout = LayoutRegistry.shared.layout(number: table.layout) else { return [] }
        guard !layout.columns.contains(where: { $0.property.contains(".$") }) else {
          return [.ofGroup]
        }
        return layout.columns.indices.map { index in
          let column = layout.columns[index]
          let node = ExpressionNode.column(
            ColumnID(table: table, index: UInt16(truncatingIfNeeded: index)))
          return JSONProperty(
            key: column.property, value: node.asJSON(of: column.type, column.form))
        }
      }
    } catch {
      return [JSONProperty(key: "", value: .invalid(QueryError(String(describing: error))))]
    }
  }
}

extension ExpressionNode {
  /// Returns `json_object('key', value, …)`.
  static func jsonObject(_ members: [JSONProperty]) -> ExpressionNode {
    var arguments: [ExpressionNode] = []
    var keys: Set<String> = []
    for member in members {
      guard let key = member.key else {
        return .invalid(
          QueryError("jsonObject: an expression has no name; give it one: a.as(\"key\")"))
      }
      guard !key.utf8.contains(0) else {
        return .invalid(QueryError("jsonObject: a name cannot contain U+0000"))
      }
      guard keys.insert(key).inserted else {
        return .invalid(QueryError("jsonObject: two members are named \(key.debugDescription)"))
      }
      // A key in the text of the query, like the name of a column, is a part of its shape.
      arguments += [.constant(DatabaseValue.text(key).description), member.value]
    }
    // SQLite allows 127 arguments.
    guard arguments.count <= 126 else {
      return .invalid(
        QueryError("jsonObject: \(members.count) members are more than SQLite's limit of 63"))
    }
    return .function("json_object", arguments)
  }

  /// The name of the property, if the expression is a column.
  fileprivate var property: String? {
    guard case .column(let column) = self,
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
    else { return nil }
    return layout.columns[Int(column.index)].property.split(separator: ".$").last.map(String.init)
  }
}
