import QueryDSL
import SQLCore

/// An object that a query makes of expressions.
private struct MadeObject: Codable {
  var number: Int?
  var text: String?
  var real: Double?
  var truth: Bool?
}

// JSON that queries make and change. It is decoded in Swift, as a program would, and compared value
// by value.

extension RandomSelects {
  /// Objects of a row's expressions, and the array that a query over another table makes.
  mutating func madeJSON<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    let other = values.pick(database.models)
    return madeJSON(model, other)
  }

  private mutating func madeJSON<M: SampleModel, N: SampleModel>(
    _ model: M.Type, _ other: N.Type
  ) -> RandomQuery {
    var made: (Term<Int?>, Term<String?>, Term<Double?>, Condition)?
    var child: (condition: Condition, number: Term<Int?>)?
    let limit = values.below(5)
    let query = M.all.select {
      table -> (SQLExpression<JSON<MadeObject>>, SQLExpression<JSON<[Int?]>>) in
      let outer = M.columns(of: table, at: 0, isMissing: false)
      let terms = expressions(over: outer, tables: 1) {
        ($0.simpleInteger(), $0.text(), $0.finiteReal(), $0.condition(depth: 1))
      }
      made = terms
      let children = Columns<N>()
      let columns = N.columns(of: children, at: 1, isMissing: false)
      let inner = expressions(over: outer + columns, tables: 2) {
        ($0.condition(depth: 1), $0.simpleInteger())
      }
      child = inner
      let object = jsonObject(
        terms.0.expression.as("number"), terms.1.expression.as("text"),
        terms.2.expression.as("real"), SQLExpression(terms.3.predicate).as("truth"),
        as: MadeObject.self)
      let array = Query {
        From(children)
        Where { inner.0.predicate }
        for key in columns.keys { key.clause(.descending, nil) }
        Limit(limit)
        Select(inner.1.expression)
      }
      return (object, array.jsonGroupArray())
    }
    let keys = N.columns(of: Columns(), at: 1, isMissing: false).keys
    let compare = keys.map { RandomQuery.comparing($0.evaluate, .descending, nil) }
    let expected = database.rows(of: model).map { row -> [DatabaseValue] in
      guard let made, let child else { return [] }
      let truth = made.3.holds([row]).map { value($0) } ?? .null
      var found = database.rows(of: other).map { [row, $0] }.filter {
        child.condition.holds($0) == true
      }
      found.sort { RandomQuery.order($0, $1, by: compare) < 0 }
      return [
        made.0.evaluate([row]), made.1.evaluate([row]), made.2.evaluate([row]), truth,
      ] + found.prefix(limit).map(child.number.evaluate) + [.text("end")]
    }
    return run(query, expected, isTotal: false, integers: []) { object, array in
      let object = object.value
      return [value(object.number), value(object.text), value(object.real), value(object.truth)]
        + array.value.map { value($0) } + [.text("end")]
    }
  }

  /// An object and an array with a few changes.
  mutating func changedJSON<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    var object: ChangedJSON<[String: Int?]>?
    var array: ChangedJSON<[Int?]>?
    let query = M.all.select {
      table -> (SQLExpression<JSON<[String: Int?]>>, SQLExpression<JSON<[Int?]>>) in
      let columns = M.columns(of: table, at: 0, isMissing: false)
      let made = expressions(over: columns, tables: 1) { ($0.changedObject(), $0.changedArray()) }
      (object, array) = made
      return (made.0.expression, made.1.expression)
    }
    let expected = database.rows(of: model).map { row -> [DatabaseValue] in
      guard let object, let array else { return [] }
      return Self.values(of: object.evaluate([row])) + array.evaluate([row]).map { value($0) }
    }
    return run(query, expected, isTotal: false, integers: []) { object, array in
      Self.values(of: object.value) + array.value.map { value($0) }
    }
  }

  /// A member that is missing differs from one that is null.
  private static func values(of object: [String: Int?]) -> [DatabaseValue] {
    ["a", "b", "c"].map { key in object[key].map { value($0) } ?? .text("missing") }
  }
}
