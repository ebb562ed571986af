import SQLCore

/// By which indices the hook knows the columns of a table, in each of the cases in which it numbers
/// them differently.
///
/// The lists lie in memory of their own, where nothing counts who reads them: they are read once and
/// again for each row. Who has the indices frees it.
struct HookIndices: @unchecked Sendable {
  typealias Sources = UnsafeBufferPointer<RecordedValues.Source>

  private let afterInsert: Sources
  private let beforeUpdate: Sources
  private let afterUpdate: Sources
  private let beforeDelete: Sources

  init(of columns: [TrackedTable.RecordedColumn], hasRowID: Bool) {
    func sources(_ kind: PreUpdateEvent.Kind, isOld: Bool) -> Sources {
      let sources = UnsafeMutableBufferPointer<RecordedValues.Source>.allocate(
        capacity: columns.count)
      _ = sources.initialize(
        from: columns.map { column in
          RecordedValues.Source(
            index: HookConvention.current.index(
              of: column.place, kind: kind, isOld: isOld, hasRowID: hasRowID),
            isReal: column.isReal, mayBeMissing: column.mayBeMissing)
        })
      return Sources(sources)
    }
    afterInsert = sources(.insert, isOld: false)
    beforeUpdate = sources(.update, isOld: true)
    afterUpdate = sources(.update, isOld: false)
    beforeDelete = sources(.delete, isOld: true)
  }

  func free() {
    for sources in [afterInsert, beforeUpdate, afterUpdate, beforeDelete] { sources.deallocate() }
  }

  func before(_ kind: PreUpdateEvent.Kind) -> Sources {
    kind == .update ? beforeUpdate : beforeDelete
  }

  func after(_ kind: PreUpdateEvent.Kind) -> Sources {
    kind == .update ? afterUpdate : afterInsert
  }
}
