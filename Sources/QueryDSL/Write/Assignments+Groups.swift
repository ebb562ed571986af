import SQLCore

extension Assignments {
  /// The columns of a group, to assign single ones. SQL: `SET a_b = ?`
  ///
  /// ```swift
  /// Person.update { $0.$home.$city = "Rome" }
  /// // UPDATE "Person" SET "home_city" = ?
  /// ```
  public subscript<Group: _ColumnGroupValue>(
    dynamicMember path: KeyPath<M, GroupReference<Group>>
  ) -> Assignments<Group._Group> {
    get { Assignments<Group._Group>(columns[dynamicMember: path].columns, list) }
    set { take(newValue) }
  }

  /// Sets the columns of a group to its values, or to NULL for nil. SQL: `SET a_b = ?, a_c = ?`
  ///
  /// ```swift
  /// Person.update { $0.$home = Address(street: "Via Appia", city: "Rome"); $0.$work = nil }
  /// // UPDATE "Person" SET "home_street" = ?, "home_city" = ?, "work_street" = ?, "work_city" = ?
  /// ```
  @_disfavoredOverload
  public subscript<Group: _ColumnGroupValue>(
    dynamicMember path: KeyPath<M, GroupReference<Group>>
  ) -> Group {
    @available(*, unavailable, message: "a group of a command has no value in Swift")
    get { fatalError() }
    set {
      let group = columns[dynamicMember: path]
      do {
        for (column, value) in zip(try group.nodes, try newValue.values) {
          append(column, .value(value))
        }
      } catch {
        let problem = ExpressionNode.invalid(QueryError(String(describing: error)))
        append(problem, problem)
      }
    }
  }
}

extension _ColumnGroupValue {
  /// The values of the columns; NULL for each if there is no group.
  fileprivate var values: [BoundValue] {
    get throws {
      let slots = try _Group.layout.slots.slots
      guard let group = _presentGroup else { return slots.map { _ in .value(.null) } }
      return withUnsafeBytes(of: group) { memory in slots.map { $0.boundValue(in: memory) } }
    }
  }
}
