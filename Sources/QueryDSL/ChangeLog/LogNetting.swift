import SQLCore

/// Reduces the logged changes of one entry to one change for each row.
struct LogNetting {
  /// A row that the entry changes.
  private struct NettedRow {
    let shape: LogShape
    let key: [DatabaseValue]
    let existedBefore: Bool
    var exists: Bool
    /// The values before the entry: those that an update has replaced, or all after a deletion.
    var old: [DatabaseValue?]
    var new: [DatabaseValue?]
    /// Whether `old` must not be extended, because the row was deleted.
    var isOldComplete: Bool
  }

  private struct RowID: Hashable {
    let shape: Int64
    let key: [DatabaseValue]
  }

  private var rows: [NettedRow] = []
  private var indices: [RowID: Int] = [:]

  /// The changes from elsewhere that counted although they made no difference here.
  private var marks: [AnyLogChange] = []

  /// A change as a trigger wrote it, or one from elsewhere that made no difference: `set` has the
  /// values that were set, and `gone` the key of a row that was deleted.
  enum Kind: String {
    case insert, update, delete, set, gone
  }

  /// Adds the next change. The values are in pairs of old and new, by the order of the shape.
  mutating func add(_ kind: Kind, _ shape: LogShape, _ values: [DatabaseValue]) {
    let count = shape.columns.count
    func old(_ index: Int) -> DatabaseValue { values[index * 2] }
    func new(_ index: Int) -> DatabaseValue { values[index * 2 + 1] }
    let key = shape.key.map { kind == .insert ? new($0) : old($0) }
    guard kind != .set, kind != .gone else {
      marks.append(mark(kind, shape, key, values))
      return
    }
    let id = RowID(shape: shape.id, key: key)
    let index: Int
    if let known = indices[id] {
      index = known
    } else {
      index = rows.count
      indices[id] = index
      let none = [DatabaseValue?](repeating: nil, count: count)
      rows.append(
        NettedRow(
          shape: shape, key: key, existedBefore: kind != .insert, exists: kind != .insert,
          old: none, new: none, isOldComplete: kind == .insert))
    }
    switch kind {
    case .set, .gone: break
    case .insert:
      rows[index].exists = true
      for column in 0..<count { rows[index].new[column] = new(column) }
    case .update:
      for column in 0..<count where !(old(column).isNull && new(column).isNull) {
        guard !shape.key.contains(column) else { continue }
        if !rows[index].isOldComplete, rows[index].old[column] == nil {
          rows[index].old[column] = old(column)
        }
        rows[index].new[column] = new(column)
      }
    case .delete:
      for column in 0..<count {
        if !rows[index].isOldComplete, rows[index].old[column] == nil {
          rows[index].old[column] = old(column)
        }
        rows[index].new[column] = nil
      }
      rows[index].isOldComplete = true
      rows[index].exists = false
    }
  }

  private func mark(
    _ kind: Kind, _ shape: LogShape, _ key: [DatabaseValue], _ values: [DatabaseValue]
  ) -> AnyLogChange {
    let none = [DatabaseValue?](repeating: nil, count: shape.columns.count)
    guard kind == .set else {
      return AnyLogChange(
        kind: .deleted, keyValues: key, shape: shape, oldValues: none, newValues: none)
    }
    // The old value of a column says whether it was set; its new value may be NULL. No conditional
    // expression here: beside a `DatabaseValue`, `nil` is NULL, and not the absence of a value.
    var set = none
    for index in shape.columns.indices
    where shape.key.contains(index) || !values[index * 2].isNull {
      set[index] = values[index * 2 + 1]
    }
    return AnyLogChange(
      kind: .updated, keyValues: key, shape: shape, oldValues: set, newValues: set)
  }

  /// Returns the changes of the rows that differ.
  ///
  /// - Parameter withMarks: whether the changes from elsewhere are added that made no difference
  ///   here.
  func changes(withMarks: Bool) -> [AnyLogChange] {
    withMarks ? netChanges + effectiveMarks : netChanges
  }

  /// The marks, without what is among the net changes as well.
  private var effectiveMarks: [AnyLogChange] {
    marks.compactMap { mark in
      guard let index = indices[RowID(shape: mark.shape.id, key: mark.keyValues)] else {
        return mark
      }
      guard mark.kind == .updated, rows[index].exists else { return nil }
      let others = rows[index].old.indices.filter { rows[index].old[$0] == nil }
      let narrowed = mark.narrowed(to: Set(others).union(mark.shape.key))
      return narrowed.changedColumns.isEmpty ? nil : narrowed
    }
  }

  private var netChanges: [AnyLogChange] {
    rows.compactMap { row in
      func change(
        _ kind: RowChangeKind, old: [DatabaseValue?], new: [DatabaseValue?]
      ) -> AnyLogChange {
        AnyLogChange(
          kind: kind, keyValues: row.key, shape: row.shape, oldValues: old, newValues: new)
      }
      let none = [DatabaseValue?](repeating: nil, count: row.old.count)
      switch (row.existedBefore, row.exists) {
      case (false, false): return nil
      case (false, true): return change(.inserted, old: none, new: row.new)
      case (true, false): return change(.deleted, old: row.old, new: none)
      case (true, true):
        let differs = row.old.indices.filter { index in
          row.old[index] != nil && row.old[index] != row.new[index]
            && !row.shape.key.contains(index)
        }
        guard !differs.isEmpty else { return nil }
        var (old, new) = (none, none)
        for (position, index) in row.shape.key.enumerated() {
          old[index] = row.key[position]
          new[index] = row.key[position]
        }
        for index in differs {
          old[index] = row.old[index]
          new[index] = row.new[index]
        }
        return change(.updated, old: old, new: new)
      }
    }
  }
}
