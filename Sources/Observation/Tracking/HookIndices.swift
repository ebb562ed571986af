import SQLCore

/// By which indices the hook knows the columns of a table, in each of the cases in which it numbers
/// them differently.
struct HookIndices: Sendable {
  private let afterInsert: [RecordedValues.Source]
  private let beforeUpdate: [RecordedValues.Source]
  private let afterUpdate: [RecordedValues.Source]
  private let beforeDelete: [RecordedValues.Source]

  init(of columns: [TrackedTable.RecordedColumn], hasRowID: Bool) {
    func sources(_ kind: PreUpdateEvent.Kind, isOld: Bool) -> [RecordedValues.Source] {
      columns.map { column in
        RecordedValues.Source(
          index: HookConvention.current.index(
            of: column.place, kind: kind, isOld: isOld, hasRowID: hasRowID),
          isReal: column.isReal, mayBeMissing: column.mayBeMissing)
      }
    }
    afterInsert = sources(.insert, isOld: false)
    beforeUpdate = sources(.update, isOld: true)
    afterUpdate = sources(.update, isOld: false)
    beforeDelete = sources(.delete, isOld: true)
  }

  func before(_ kind: PreUpdateEvent.Kind) -> [RecordedValues.Source] {
    kind == .update ? beforeUpdate : beforeDelete
  }

  func after(_ kind: PreUpdateEvent.Kind) -> [RecordedValues.Source] {
    kind == .update ? afterUpdate : afterInsert
  }
}
