import ChangeObservation
import QueryDSL
import SQLCore

/// The logged changes of one entry, reduced to one change for each row.
///
/// The order of the logged changes does not show the order of the changes themselves. SQLite may
/// fire another trigger before the log's trigger, and the other trigger's change is then logged
/// before the change that fired it. So for each value of a column, each change that replaced the
/// value counts +1, and each change that set the value counts -1. "The row does not exist" counts
/// as a value. A value that one change set and the next change replaced has the sum 0. The value
/// with the sum +1 was there before the entry, and the value with the sum -1 is there after the
/// entry. If a value has any other sum, the column is reported as uncertain.
struct LogNetting {
  private struct RowID: Hashable {
    let shape: Int64
    let key: [DatabaseValue]
  }

  private var rows: [NettedRow] = []
  private var indices: [RowID: Int] = [:]

  /// The marks of changes that were applied from other databases; see `Kind`. A change leaves a
  /// mark even if it did not alter the row, because the time of the change is needed to decide
  /// which of two values is newer.
  private var marks: [AnyLogChange] = []

  /// The kind of a logged change. Triggers write `insert`, `update` and `delete`. The other kinds
  /// are marks of an applied change from another database:
  ///
  /// - `set` has the values that an update set.
  /// - `put` has the row that an insertion wrote although the row existed.
  /// - `gone` has the key of the row that a deletion removed.
  enum Kind: String {
    case insert, update, delete, set, put, gone
  }

  /// Adds a change. `values` has the old and the new value of each column, in the order of the
  /// shape.
  mutating func add(_ kind: Kind, _ shape: LogShape, _ values: [DatabaseValue]) {
    let key = shape.key.map { values[kind == .insert ? $0 * 2 + 1 : $0 * 2] }
    guard kind != .set, kind != .put, kind != .gone else {
      marks.append(mark(kind, shape, key, values))
      return
    }
    let id = RowID(shape: shape.id, key: key)
    if let index = indices[id] {
      rows[index].add(kind, values)
    } else {
      indices[id] = rows.count
      rows.append(NettedRow(shape: shape, key: key, kind: kind, values: values))
    }
  }

  private func mark(
    _ kind: Kind, _ shape: LogShape, _ key: [DatabaseValue], _ values: [DatabaseValue]
  ) -> AnyLogChange {
    let none = [DatabaseValue?](repeating: nil, count: shape.columns.count)
    guard kind != .gone else {
      return AnyLogChange(
        kind: .deleted, keyValues: key, shape: shape, oldValues: none, newValues: none,
        isFromLog: true)
    }
    // A mark stores, for each column that was set, an old value that is not NULL; the new value may
    // be NULL. A conditional expression cannot replace this loop: beside a `DatabaseValue`, its
    // `nil` would mean NULL, and not a missing value.
    var set = none
    for index in shape.columns.indices
    where shape.key.contains(index) || !values[index * 2].isNull {
      set[index] = values[index * 2 + 1]
    }
    return AnyLogChange(
      kind: kind == .set ? .updated : .inserted, keyValues: key, shape: shape,
      oldValues: kind == .set ? set : none, newValues: set, isFromLog: true)
  }

  /// Returns one change for each row that is different after the entry, in the order in which the
  /// rows were first logged.
  ///
  /// - Parameter withMarks: whether to include the marks of changes from other databases.
  func changes(withMarks: Bool) -> [AnyLogChange] {
    let net = rows.map(\.change)
    return net.compactMap(\.self)
      + (withMarks ? marks.compactMap { effective($0, beside: net) } : [])
  }

  /// Returns one of `marks`, without those columns whose changes are already reported in the netted
  /// change of the same row. Returns nil if nothing of the mark is left.
  private func effective(_ mark: AnyLogChange, beside net: [AnyLogChange?]) -> AnyLogChange? {
    guard let index = indices[RowID(shape: mark.shape.id, key: mark.keyValues)],
      let change = net[index]
    else { return mark }
    if mark.kind == .inserted { return change.kind == .updated ? mark : nil }
    guard mark.kind == .updated, change.kind != .deleted else { return nil }
    let others = mark.shape.columns.indices.filter { !change.hasChanged(at: $0) }
    let narrowed = mark.narrowed(to: Set(others).union(mark.shape.key))
    return narrowed.changedColumns.isEmpty ? nil : narrowed
  }
}

/// The logged changes of one row in one entry.
private struct NettedRow {
  let shape: LogShape
  let key: [DatabaseValue]
  /// The kind and the values of the first change. Most rows have only one change.
  let kind: LogNetting.Kind
  let values: [DatabaseValue]
  /// For each column, the counts of its values; empty if the row has only one change.
  private var tallies: [Tally] = []
  /// The number of insertions minus the number of deletions.
  private var existence = 0

  init(shape: LogShape, key: [DatabaseValue], kind: LogNetting.Kind, values: [DatabaseValue]) {
    self.shape = shape
    self.key = key
    self.kind = kind
    self.values = values
  }

  mutating func add(_ kind: LogNetting.Kind, _ values: [DatabaseValue]) {
    if tallies.isEmpty {
      tallies = shape.columns.map { _ in Tally() }
      count(self.kind, self.values)
    }
    count(kind, values)
  }

  private mutating func count(_ kind: LogNetting.Kind, _ values: [DatabaseValue]) {
    existence += kind == .insert ? 1 : kind == .delete ? -1 : 0
    for column in tallies.indices where !shape.key.contains(column) {
      let (old, new) = (values[column * 2], values[column * 2 + 1])
      // In an update, an unchanged column has NULL as its old and its new value.
      if kind == .update, old.isNull, new.isNull { continue }
      tallies[column].add(kind == .insert ? .none : .some(old), 1)
      tallies[column].add(kind == .delete ? .none : .some(new), -1)
    }
  }

  /// The net change; nil if the row is unchanged.
  var change: AnyLogChange? {
    guard !tallies.isEmpty else { return onlyChange }
    let isCertain = (-1...1).contains(existence)
    let kind: RowChangeKind = existence > 0 ? .inserted : existence < 0 ? .deleted : .updated
    var old = [DatabaseValue?](repeating: nil, count: shape.columns.count)
    var new = old
    var uncertain: [Int] = []
    for column in tallies.indices where !shape.key.contains(column) {
      if isCertain, let net = tallies[column].net {
        old[column] = net.old
        new[column] = net.new
      } else if !isCertain || !tallies[column].isEmpty {
        uncertain.append(column)
      }
    }
    let isChanged = !uncertain.isEmpty || old.contains { $0 != nil }
    guard !isCertain || kind != .updated || isChanged else { return nil }
    for (column, value) in zip(shape.key, key) {
      if kind != .inserted { old[column] = value }
      if kind != .deleted { new[column] = value }
      if !isCertain { uncertain.append(column) }
    }
    return AnyLogChange(
      kind: kind, keyValues: key, shape: shape, oldValues: old, newValues: new,
      uncertain: uncertain.sorted(), isFromLog: true)
  }

  private var onlyChange: AnyLogChange {
    var old = [DatabaseValue?](repeating: nil, count: shape.columns.count)
    var new = old
    for column in shape.columns.indices {
      let isKey = shape.key.contains(column)
      let pair = (old: values[column * 2], new: values[column * 2 + 1])
      guard kind != .update || isKey || !(pair.old.isNull && pair.new.isNull) else { continue }
      if kind != .insert { old[column] = pair.old }
      // In an update, the log has the values of the key only among the old values.
      if kind != .delete { new[column] = isKey && kind == .update ? pair.old : pair.new }
    }
    return AnyLogChange(
      kind: kind == .insert ? .inserted : kind == .delete ? .deleted : .updated, keyValues: key,
      shape: shape, oldValues: old, newValues: new, isFromLog: true)
  }
}

/// The counts of a column's values in one entry. The count of a value is the number of changes that
/// replaced the value, minus the number of changes that set the value. Values with the count 0 are
/// left out.
private struct Tally {
  /// The values and their counts. The value nil means that the row does not exist.
  private var counts: [(value: DatabaseValue?, count: Int)] = []

  var isEmpty: Bool { counts.isEmpty }

  mutating func add(_ value: DatabaseValue?, _ count: Int) {
    guard let index = counts.firstIndex(where: { $0.value == value }) else {
      counts.append((value, count))
      return
    }
    counts[index].count += count
    if counts[index].count == 0 { counts.remove(at: index) }
  }

  /// The values before and after the entry; nil if they are the same or unknown.
  var net: (old: DatabaseValue?, new: DatabaseValue?)? {
    guard counts.count == 2, let old = counts.first(where: { $0.count == 1 }),
      let new = counts.first(where: { $0.count == -1 })
    else { return nil }
    return (old.value, new.value)
  }
}
