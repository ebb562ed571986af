import SQLCore

/// A path to a value inside JSON. `Root` is the type of the JSON, and `Value` is the type of the
/// value.
///
/// ```swift
/// extension JSONPath where Root == Place, Value == String {
///   static var city: JSONPath { JSONPath("address", "city") }
/// }
///
/// Post.where { $0.$place.value(at: .city) == "Bonn" }
/// // … WHERE apus_json_value("place" -> ?, 'String') IS ?    the path is `$."address"."city"`
/// ```
/// The keys of the path are the keys in the JSON. They can differ from the names of the Swift
/// properties, because `CodingKeys` may rename them, and a Swift key path does not contain the new
/// names. This is why each path must be declared. If a path is used with the JSON of a type other
/// than `Root`, the program does not compile.
public struct JSONPath<Root: Codable & Sendable, Value: ColumnValue>: Hashable, Sendable {
  let steps: [JSONStep]

  /// Makes the path from its steps.
  public init(_ steps: JSONStep...) {
    self.steps = steps
  }
}

/// A step into a JSON value: a key of an object, or an index into an array.
///
/// ```swift
/// let cities = Post.select { $0.$place.value(at: "address", "city", as: String.self) }
/// ```
public enum JSONStep: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// The value of a key in an object.
  case key(String)
  /// The element at an index, from 0. A negative index counts from the end: -1 is the last element.
  case index(Int)

  /// Makes a key from a literal.
  public init(stringLiteral value: String) { self = .key(value) }

  /// Makes an index from a literal.
  public init(integerLiteral value: Int) { self = .index(value) }

  /// Returns an expression whose value is the text of a path, such as `$."city"`. If a path of
  /// SQLite cannot name one of the keys, rendering the expression throws `QueryError`.
  ///
  /// - Parameter end: The text after the last step, such as `[#]` for the index after the last
  ///   element of an array.
  static func pathNode(_ steps: [JSONStep], _ end: String = "") -> ExpressionNode {
    guard let path = path(steps) else {
      return .invalid(
        QueryError(
          "a path into JSON cannot name a key with a quotation mark, a backslash or a control "
            + "character: \(steps)"))
    }
    return .value(BoundValue(path + end))
  }

  /// Returns the text of a path in SQLite's syntax, such as `$."city"`; nil if a path of SQLite
  /// cannot name one of the keys.
  static func path(_ steps: [JSONStep]) -> String? {
    var path = "$"
    for step in steps {
      switch step {
      // A key in a path ends at the next quotation mark, because a path has no escapes. SQLite
      // compares the key with the bytes of the JSON, where quotation marks, backslashes and control
      // characters are escaped. So SQLite would never find a key that contains one of these
      // characters.
      case .key(let key):
        let isAsWritten = key.utf8.allSatisfy {
          $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isAsWritten else { return nil }
        path += ".\"\(key)\""
      case .index(let index):
        path += index < 0 ? "[#\(index)]" : "[\(index)]"
      }
    }
    return path
  }
}

/// A member of a JSON object that a query makes: its key and its value.
struct JSONProperty {
  /// The key of the member. It is nil for an expression without a name. `jsonObject` rejects such
  /// an expression.
  let key: String?
  let value: ExpressionNode

  /// The property that stands for a group of columns. A group cannot be a member of a JSON object,
  /// so rendering this property throws `QueryError`.
  static let ofGroup = JSONProperty(
    key: "",
    value: .invalid(
      QueryError(
        "jsonObject: a group of columns cannot be a member; name its columns, as in $0.$home.$city"
      )))
}

extension Selectable {
  /// The JSON members of a selected item, such as one for each column of a table.
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
  /// Returns the expression `json_object('key', value, …)`, which makes a JSON object of the given
  /// members.
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
      // The key is written into the SQL and not bound as a value. So queries with different keys
      // have different SQL and different shapes, like queries with different columns.
      arguments += [.constant(DatabaseValue.text(key).description), member.value]
    }
    // SQLite allows a function 127 arguments. Each member takes two of them, so the limit is 126.
    guard arguments.count <= 126 else {
      return .invalid(
        QueryError("jsonObject: \(members.count) members are more than SQLite's limit of 63"))
    }
    return .function("json_object", arguments)
  }

  /// The name of the property if the expression is a column; otherwise nil.
  fileprivate var property: String? {
    guard case .column(let column) = self,
      let layout = LayoutRegistry.shared.layout(number: column.table.layout)
    else { return nil }
    return layout.columns[Int(column.index)].property.split(separator: ".$").last.map(String.init)
  }
}
