/// A place in a program where an expression can stand.
enum MatrixPlace: String, CaseIterable, Sendable {
  case condition, line, besideAnd, order, group, argument
  case item, pair, triple, six, lines, more, hit
  case returned, returnedPair, returnStatement
  case queryItem, queryItems, queryCondition, queryHaving, queryOrder, queryGroup
  case update, updateInPlace, declared, undeclared
  case generic, any, printed, printedItem, printedCondition
  case result, resultOfPair, resultWithLabels, returnedWithLabels
  case interpolatedItem, interpolatedCondition
  case expectedCount, expectedItems, expectedElement, expectedCondition

  /// The places where a mistake is looked for. In the others the same closures stand.
  static let ofMistakes: [MatrixPlace] = [
    .condition, .line, .besideAnd, .order, .argument, .pair, .lines, .more, .returnedPair,
    .queryItem, .queryItems, .queryCondition, .queryHaving, .queryOrder, .update, .updateInPlace,
    .declared, .undeclared, .generic, .resultOfPair,
  ]

  /// Whether the program imports `Testing`.
  var isExpectation: Bool {
    switch self {
    case .expectedCount, .expectedItems, .expectedElement, .expectedCondition: true
    default: false
    }
  }

  /// Returns the statements of a function with the parameters `db`, `item` and `i`.
  func statements(_ expression: MatrixExpression) -> String {
    let (column, type, value) = expression.operands.result
    let sum = expression.code("$0")
    let item = expression.code("i")
    func query(_ clause: String) -> String {
      """
      _ = Query { (i: Columns<Item>) in
        From(i)
        \(clause)
        Select(i.$int)
      }
      """
    }
    return switch self {
    case .condition: "_ = Item.where { \(sum) > \(value) }"
    case .line: "_ = Item.where {\n  $0.$bool.isTrue\n  \(sum) == \(value)\n}"
    case .besideAnd: "_ = Item.where { $0.$string == \"x\" && \(sum) > \(value) || $0.$int < 5 }"
    case .order: "_ = Item.order { \(sum) }"
    case .group: "_ = Item.group { \(sum) }.select { ($0.count(), \(sum)) }"
    case .argument: "_ = Item.where { (\(sum)).max(with: \(value)) > \(value) }"
    case .item: "_ = Item.select { \(sum) }"
    case .pair: "_ = Item.select { ($0.$id, \(sum)) }"
    case .triple: "_ = Item.all.select { (\(sum), $0, \(sum)) }"
    case .six: "_ = Item.select { (\(sum), $0.$id, \(sum), \(sum), $0.$string, \(sum)) }"
    case .lines: "_ = Item.select {\n  $0.$id\n  \(sum)\n  $0.$string\n  \(sum)\n}"
    case .more: "_ = Item.all.selectAlso { ($0.$id, \(sum)) }"
    case .hit: "_ = Item.all.selectHit { i, hit in (\(item), hit.$rank) }"
    case .returned: "_ = Item.delete().returning { \(sum) }"
    case .returnedPair: "_ = Item.delete().returning { ($0.$id, \(sum)) }"
    case .returnStatement: "_ = Item.select { i in let sum = \(item); return (i.$id, sum) }"
    case .queryItem: "_ = Query { (i: Columns<Item>) in\n  From(i)\n  Select(\(item))\n}"
    case .queryItems: "_ = Query { (i: Columns<Item>) in\n  From(i)\n  Select(i.$id, \(item), i)\n}"
    case .queryCondition: query("Where { \(item) > \(value) }")
    case .queryHaving: query("GroupBy(i.$int)\n  Having { \(item) > \(value) }")
    case .queryOrder: query("OrderBy(\(item), .descending)")
    case .queryGroup: query("GroupBy(\(item))")
    case .update: "_ = Item.update { $0.\(column) = \(sum) }"
    case .updateInPlace: "_ = Item.update { $0.\(column) += \(sum) }"
    case .declared: "let sum: SQLExpression<\(type)> = \(item)\n_ = sum"
    case .undeclared: "let sum = \(item)\n_ = sum"
    case .generic: "take(Item.select { ($0.$id, \(sum)) })"
    case .any: "print(try db.fetch(Item.select { ($0.$id, \(sum)) }))"
    case .printed: "print(try db.fetch(Item.where { \(sum) > \(value) }).count)"
    case .printedItem: "print(try db.fetch(Item.select { \(sum) }).count)"
    case .printedCondition: "print(try db.first(Item.where { \(sum) > \(value) }) as Any)"
    case .result: "let rows: [\(type)] = try db.fetch(Item.select { \(sum) })\n_ = rows"
    case .resultOfPair: "let rows = try db.fetch(Item.select { ($0.$id, \(sum)) })\n_ = rows"
    case .resultWithLabels:
      "let rows: [(id: Item.ID, sum: \(type))] = try db.fetch(Item.select { ($0.$id, \(sum)) })\n_ = rows"
    case .returnedWithLabels:
      "let rows: [(id: Item.ID, sum: \(type))] = try db.fetch(Item.delete().returning { ($0.$id, \(sum)) })\n_ = rows"
    case .interpolatedItem: "_ = \"\\(try db.fetch(Item.select { \(sum) }))\""
    case .interpolatedCondition: "_ = \"\\(try db.fetch(Item.where { \(sum) > \(value) }).count)\""
    case .expectedCount: "#expect(try db.fetch(Item.select { ($0.$id, \(sum)) }).count == 1)"
    case .expectedItems: "#expect(try db.fetch(Item.select { \(sum) }) == [])"
    case .expectedElement: "#expect(try db.first(Item.select { \(sum) }) == \(value))"
    case .expectedCondition: "#expect(try db.fetch(Item.where { \(sum) > \(value) }).isEmpty)"
    }
  }
}
