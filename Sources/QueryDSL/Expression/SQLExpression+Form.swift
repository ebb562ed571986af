import SQLCore

// A date, a UUID or a similar value is stored in the form of its column. Some expressions have no
// form of their own: a value, a parameter, the current time, and expressions made only of these.
// Such an expression takes the form of the column that it is compared with, assigned to or combined
// with. All other expressions keep their form.

/// An expression that can be written in every stored form of its type, such as the current time as
/// a number or as text. It takes the form of the column that it is compared with, assigned to or
/// combined with.
@usableFromInline
package struct AdaptingNode: Sendable {
  /// The expression in the standard form of its type. The standard form of a date is a number of
  /// microseconds.
  let standard: ExpressionNode
  private let make: @Sendable (StoredForm) -> ExpressionNode

  init(_ make: @escaping @Sendable (StoredForm) -> ExpressionNode) {
    self.make = make
    standard = make(.standard)
  }

  func node(as form: StoredForm) -> ExpressionNode { form == .standard ? standard : make(form) }
}

extension ExpressionNode {
  /// Whether the expression, such as a value or the current time, can be converted to the stored
  /// form of a column. Use this property only for an expression in the standard form.
  var isAdapting: Bool {
    switch self {
    case .parameter, .adapting, .value, .invalid: true
    default: false
    }
  }

  /// Converts this expression from the standard form to another form. Returns nil if the expression
  /// cannot be converted, because it has a form of its own, as a column has.
  func adapted(to form: StoredForm, of type: any ColumnValue.Type) -> ExpressionNode? {
    switch self {
    case .parameter(let parameter): .value(parameter.bound(as: form))
    case .adapting(let adapting): adapting.node(as: form)
    case .value(.value(let stored)): type.node(of: stored, as: form)
    case .value, .invalid: self
    default: nil
    }
  }
}

extension ColumnValue {
  /// Whether the type has several stored forms, such as number and text for a date.
  static var hasForms: Bool {
    StoredForm.allCases.contains { $0 != .standard && storageClass(as: $0) != nil }
  }

  /// Converts a stored value of this type from the standard form to another form.
  fileprivate static func node(
    of stored: DatabaseValue, as form: StoredForm
  ) -> ExpressionNode? {
    (try? stored.read(Self.self)).map { .value(BoundValue($0, as: form)) }
  }
}

extension SQLExpression {
  /// Returns the expression in the given form, such as the form of the column with which the
  /// expression is compared. Returns nil if the expression has another form, and cannot be
  /// converted.
  package func node(as form: StoredForm) -> ExpressionNode? {
    if case .parameter(let parameter) = node { return .value(parameter.bound(as: form)) }
    if self.form == form { return node }
    return self.form == .standard ? node.adapted(to: form, of: Value.self) : nil
  }

  /// Whether the expression can be converted to the stored form of a column.
  private var isAdapting: Bool { form == .standard && node.isAdapting }

  /// Returns the error for combining this expression with an expression that is stored in another
  /// form.
  func mixing(_ other: StoredForm) -> QueryError {
    QueryError(
      "two expressions of \(Value.self) are combined, but stored in different forms, .\(form) and "
        + ".\(other); convert one of them in SQL, and state its form: "
        + "SQLExpression<\(Value.self)>(sql: \"…\", as: .\(form))")
  }

  /// Converts all expressions to one stored form: the form of the first expression that cannot be
  /// converted, such as a column. Throws `QueryError` if another expression has a different form,
  /// and cannot be converted either.
  static func inOneForm(
    _ parts: [SQLExpression]
  ) throws(QueryError) -> (nodes: [ExpressionNode], form: StoredForm) {
    guard let leader = parts.first(where: { !$0.isAdapting }) ?? parts.first else {
      return ([], .standard)
    }
    var nodes: [ExpressionNode] = []
    for part in parts {
      guard let node = part.node(as: leader.form) else { throw leader.mixing(part.form) }
      nodes.append(node)
    }
    return (nodes, leader.form)
  }

  /// Combines several operands into one expression, such as `coalesce(a, b)`. If an operand cannot
  /// be converted to another stored form, as a column cannot, the result has the form of this
  /// operand. If all operands can be converted, the result can be converted, too.
  static func combined<Result: ColumnValue>(
    _ parts: [SQLExpression],
    _ make: @escaping @Sendable (_ parts: [ExpressionNode], StoredForm) -> ExpressionNode
  ) -> SQLExpression<Result> {
    do {
      let (nodes, form) = try inOneForm(parts)
      guard parts.allSatisfy(\.isAdapting), Value.hasForms else {
        return SQLExpression<Result>(make(nodes, form), form: form)
      }
      return SQLExpression<Result>(
        .adapting(AdaptingNode { form in make(parts.map { $0.node(as: form) ?? $0.node }, form) }))
    } catch {
      return SQLExpression<Result>(.invalid(error))
    }
  }
}

extension SelectStatement {
  /// Converts the selected expressions to the given stored forms, one form for each expression. An
  /// expression that cannot be converted, such as a column, keeps its form. Returns the form that
  /// each selected expression has afterwards.
  mutating func adaptSelection(
    of columns: [ResultColumn], to forms: [StoredForm]
  ) -> [StoredForm] {
    guard case .terms(var terms) = selection, terms.count == columns.count,
      forms.count == columns.count, extras?.content.compound == nil
    else { return columns.map(\.form) }
    var adapted = columns.map(\.form)
    for index in terms.indices where adapted[index] == .standard && forms[index] != .standard {
      switch terms[index] {
      case .expression(let node):
        guard let node = node.adapted(to: forms[index], of: columns[index].type) else { continue }
        terms[index] = .expression(node)
      case .aliased(let node, let name):
        guard let node = node.adapted(to: forms[index], of: columns[index].type) else { continue }
        terms[index] = .aliased(node, name)
      case .table: continue
      }
      adapted[index] = forms[index]
    }
    selection = .terms(terms)
    return adapted
  }
}
