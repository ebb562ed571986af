import SQLCore

/// The indices by which the hook knows the columns of a table, for each of the cases that it
/// numbers differently.
///
/// The lists are in unmanaged memory, to avoid reference counting: they are read once or twice for
/// each row. The owner of the indices frees it.
///
/// `@unchecked Sendable`: the lists never change.
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
