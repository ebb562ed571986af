import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Another form in which a program may have written the key of a row: a UUID in the other case.
///
/// SQL compares keys byte by byte. If no row is found by the key as Apus writes it, the row is
/// looked up by the other spellings. Only models whose keys contain UUIDs as text have any.
struct KeySpelling: Sendable {
  /// All columns of the model, with those of the key in the other form.
  let slots: ColumnSlots
  /// The `ID` of the model, in the other form.
  let keySlots: ColumnSlots

  /// Returns all spellings but the declared one; none if the key has only one.
  static func others(
    of columns: [ModelColumn], keyColumns: [Int], slots: ColumnSlots, keySlots: ColumnSlots,
    strides: (model: Int, key: Int)
  ) -> [KeySpelling] {
    let places = keyColumns.indices.filter { place in
      let column = columns[keyColumns[place]]
      return column.type == UUID.self && column.storageClass == .text
    }
    // A key with more UUIDs would have too many spellings.
    guard (1...3).contains(places.count), keySlots.slots.count == keyColumns.count else {
      return []
    }
    return (1..<(1 << places.count)).map { number in
      var slots = Array(slots.slots)
      var keys = Array(keySlots.slots)
      for (bit, place) in places.enumerated() where number & (1 << bit) != 0 {
        let column = keyColumns[place]
        let form: StoredForm = columns[column].form == .uppercase ? .standard : .uppercase
        slots[column] = slots[column].stored(as: form)
        keys[place] = keys[place].stored(as: form)
      }
      return KeySpelling(
        slots: ColumnSlots(slots, stride: strides.model),
        keySlots: ColumnSlots(keys, stride: strides.key))
    }
  }
}

extension ConnectionCore {
  /// Steps to the row that has the key in another spelling, and returns whether there is such a
  /// row.
  @usableFromInline
  func step(
    _ statement: StatementPointer, toOtherSpellingsOf key: UnsafeRawPointer, _ layout: ModelLayout
  ) throws -> Bool {
    for spelling in layout.keySpellings {
      reset(statement)
      try bind(key: spelling.keySlots, at: key, to: statement)
      if try step(statement) { return true }
    }
    return false
  }
}
