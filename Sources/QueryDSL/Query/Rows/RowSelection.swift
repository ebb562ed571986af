import SQLCore

/// The selected columns and expressions from which a struct is read. Each of them is read into the
/// property with the same name.
struct RowSelection {
  private struct Column {
    var node: ExpressionNode
    var column: ResultColumn

    /// Gives the stored form of a property to an expression that has no stored form of its own,
    /// such as the current time.
    mutating func adapt(to form: StoredForm) {
      guard column.form == .standard, form != .standard,
        let adapted = node.adapted(to: form, of: column.type)
      else { return }
      node = adapted
      column.form = form
    }
  }

  private var columns: [Column] = []
  private var problem: QueryError?

  mutating func append<Item: Selectable>(_ item: Item) { append(item.selectItem) }

  mutating func append(_ selection: SelectItem) {
    let known: [ResultColumn]
    do {
      known = try selection.columns()
    } catch {
      problem = problem ?? QueryError(String(describing: error))
      return
    }
    if let group = selection.group {
      columns += zip(group, known).map { Column(node: $0, column: $1) }
      return
    }
    switch selection.term {
    case .expression(let node), .aliased(let node, _):
      columns += known.map { Column(node: node, column: $0) }
    case .table(let table):
      columns += known.enumerated().map { index, column in
        let id = ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))
        return Column(node: .column(id), column: column)
      }
    }
  }

  /// Returns the terms of SELECT in the order of the row type's columns. The alias of each term is
  /// the name of its column.
  func terms<Row: ResultRow>(
    into row: Row.Type, ignoringOthers: Bool = false
  ) -> ([SelectStatement.SelectTerm], QueryError?) {
    let layout: ModelLayout
    do {
      layout = try Row.layout
    } catch {
      return ([], QueryError(String(describing: error)))
    }
    var terms: [SelectStatement.SelectTerm] = []
    var problem = self.problem
    func note(_ message: String) { problem = problem ?? QueryError("\(Row.self): \(message)") }
    for own in layout.columns {
      let found = columns.filter { $0.column.name?.isSame(as: own.name) == true }
      guard var first = found.first else {
        note("no selected column has the name of its property \(own.name)")
        continue
      }
      first.adapt(to: own.form)
      if found.count > 1 { note("two selected columns have the name \(own.name)") }
      if let difference = first.column.difference(from: own) {
        note("\(own.name) \(difference)")
      }
      terms.append(.aliased(first.node.collated(as: own.type), own.name))
    }
    if !ignoringOthers {
      for other in columns where other.column.name.flatMap(layout.index(named:)) == nil {
        note(
          other.column.name.map { "it has no property for the selected column \($0)" }
            ?? "a selected expression has no name; give it one with `as`")
      }
    }
    return (terms, problem)
  }
}

extension ResultColumn {
  /// Returns the reason why this selected column cannot be read into the property `own`. Returns
  /// nil if it can be read.
  fileprivate func difference(from own: ModelColumn) -> String? {
    if type.nonOptional != own.type.nonOptional {
      return "is \(own.type), but the selected column is \(type)"
    }
    if isOptional, !own.isOptional {
      return
        "is \(own.type), but the selected column may be NULL; select it with ifNull(…) or "
        + "nonOptional(), or declare the property as \(own.type)?"
    }
    if form != own.form {
      return
        "is stored in the form .\(own.form), but the selected column in the form .\(form); declare "
        + "Stored(\\.$\(own.property), as: .\(form)) in the schema of the row"
    }
    return nil
  }
}
