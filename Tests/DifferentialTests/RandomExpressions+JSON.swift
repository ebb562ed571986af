import QueryDSL
import SQLCore

/// JSON in two forms: for the DSL, and as Swift's value of it.
struct ChangedJSON<Value: Codable & Sendable> {
  var expression: SQLExpression<JSON<Value>>
  var evaluate: (Environment) -> Value
}

extension RandomExpressions {
  /// An object of two numbers with up to four changes.
  mutating func changedObject() -> ChangedJSON<[String: Int?]> {
    let (a, b) = (simpleInteger(), simpleInteger())
    var json = ChangedJSON<[String: Int?]>(
      expression: jsonObject(
        a.expression.as("a"), b.expression.as("b"), as: [String: Int?].self)
    ) { ["a": Self.number(a, $0), "b": Self.number(b, $0)] }
    for _ in 0..<values.below(5) { change(&json) }
    return json
  }

  private mutating func change(_ json: inout ChangedJSON<[String: Int?]>) {
    let (before, evaluate) = (json.expression, json.evaluate)
    let key = values.pick(["a", "b", "c"])
    let literal = values.optional { $0.integer() }
    let term = simpleInteger()
    func changed(
      _ expression: SQLExpression<JSON<[String: Int?]>>,
      _ change: @escaping (inout [String: Int?], Environment) -> Void
    ) {
      json.expression = expression
      json.evaluate = { row in
        var object = evaluate(row)
        change(&object, row)
        return object
      }
    }
    switch values.below(8) {
    case 0: changed(before.set(at: .key(key), to: literal)) { object, _ in object[key] = literal }
    case 1:
      changed(before.set(at: .key(key), to: term.expression)) {
        $0.updateValue(Self.number(term, $1), forKey: key)
      }
    case 2:
      changed(before.insert(literal, at: .key(key))) { object, _ in
        if object[key] == nil { object.updateValue(literal, forKey: key) }
      }
    case 3:
      changed(before.insert(term.expression, at: .key(key))) {
        if $0[key] == nil { $0.updateValue(Self.number(term, $1), forKey: key) }
      }
    case 4:
      changed(before.replace(at: .key(key), with: literal)) { object, _ in
        if object[key] != nil { object.updateValue(literal, forKey: key) }
      }
    case 5: changed(before.remove(at: .key(key))) { object, _ in object.removeValue(forKey: key) }
    case 6:
      changed(before.patch([key: literal])) { object, _ in
        // null removes.
        if let literal { object[key] = literal } else { object.removeValue(forKey: key) }
      }
    default:
      let other = jsonObject(term.expression.as(key), as: [String: Int?].self)
      changed(before.patch(other)) { object, row in
        let number = Self.number(term, row)
        if let number { object[key] = number } else { object.removeValue(forKey: key) }
      }
    }
  }

  /// An array of two numbers with up to four changes.
  mutating func changedArray() -> ChangedJSON<[Int?]> {
    let (a, b) = (simpleInteger(), simpleInteger())
    var json = ChangedJSON<[Int?]>(expression: jsonArray(a.expression, b.expression)) {
      [Self.number(a, $0), Self.number(b, $0)]
    }
    for _ in 0..<values.below(5) { change(&json) }
    return json
  }

  private mutating func change(_ json: inout ChangedJSON<[Int?]>) {
    let (before, evaluate) = (json.expression, json.evaluate)
    let index = values.below(4)
    let literal = values.optional { $0.integer() }
    let term = simpleInteger()
    func changed(
      _ expression: SQLExpression<JSON<[Int?]>>,
      _ change: @escaping (inout [Int?], Environment) -> Void
    ) {
      json.expression = expression
      json.evaluate = { row in
        var array = evaluate(row)
        change(&array, row)
        return array
      }
    }
    switch values.below(6) {
    case 0: changed(before.append(literal)) { array, _ in array.append(literal) }
    case 1: changed(before.append(term.expression)) { $0.append(Self.number(term, $1)) }
    case 2:
      // The place after the last element is missing, and can be filled; one further cannot.
      changed(before.set(at: .index(index), to: term.expression)) { array, row in
        let number = Self.number(term, row)
        if index < array.count {
          array[index] = number
        } else if index == array.count {
          array.append(number)
        }
      }
    case 3:
      changed(before.insert(literal, at: .index(index))) { array, _ in
        if index == array.count { array.append(literal) }
      }
    case 4:
      changed(before.replace(at: .index(-1), with: literal)) { array, _ in
        if !array.isEmpty { array[array.count - 1] = literal }
      }
    default:
      changed(before.remove(at: .index(index))) { array, _ in
        if index < array.count { array.remove(at: index) }
      }
    }
  }

  /// A real that JSON can hold: infinity becomes NULL.
  mutating func finiteReal() -> Term<Double?> {
    let term = real()
    let limit = Double.greatestFiniteMagnitude
    let isFinite = term.expression.between(-limit, and: limit)
    return Term(expression: Case(when: isFinite, then: term.expression).else(nil)) {
      guard case .real(let real) = term.evaluate($0), real.isFinite else { return .null }
      return .real(real)
    }
  }

  private static func number(_ term: Term<Int?>, _ row: Environment) -> Int? {
    guard case .integer(let number) = term.evaluate(row) else { return nil }
    return Int(number)
  }
}
