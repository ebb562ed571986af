#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How one column of a model lies in memory, and how its value is read and bound.
///
/// It is trivial: an array of slots is walked for each row without a retain. A closure in its place
/// would be copied and retained at each use, which doubled the time of a row.
package struct ColumnSlot: BitwiseCopyable {
  /// The types that the loops handle themselves; each other type has its witnesses called.
  @frozen
  package enum Kind: UInt8, BitwiseCopyable {
    case int, int64, unique64, bool, double, string, data, date
    case optionalInt, optionalInt64, optionalUnique64, optionalBool, optionalDouble
    case optionalString, optionalData, optionalDate
    case witness
  }

  /// Where the `ColumnStorage` is, in bytes from the start of the model.
  package let offset: Int32
  /// Where its mark is, in bytes from the start of the model.
  package let markOffset: Int32
  package let kind: Kind
  package private(set) var form: StoredForm
  /// The type of the column's value, optional where the column is.
  package let type: any ColumnValue.Type

  package init<Value: ColumnValue>(offset: Int, type: Value.Type, form: StoredForm) {
    self.offset = Int32(truncatingIfNeeded: offset)
    let mark = MemoryLayout<ColumnStorage<Value>>.offset(of: \.mark) ?? 0
    markOffset = Int32(truncatingIfNeeded: offset + mark)
    self.type = type
    self.form = form
    kind = Kind(type, form: form)
  }

  /// The same column in another form, which its type handles itself.
  package func stored(as form: StoredForm) -> ColumnSlot {
    var slot = self
    slot.form = form
    return slot
  }
}

extension ColumnSlot.Kind {
  /// Whether its value may be one that is bound where it lies, inside a closure.
  package var isEntered: Bool {
    switch self {
    case .string, .data, .optionalString, .optionalData, .witness: true
    default: false
    }
  }

  init<Value: ColumnValue>(_ type: Value.Type, form: StoredForm) {
    self =
      if type == Int64.self {
        .int64
      } else if type == String.self {
        .string
      } else if type == Int.self {
        .int
      } else if type == Double.self {
        .double
      } else if type == Bool.self {
        .bool
      } else if type == Unique64.self {
        .unique64
      } else if type == Date.self, form == .standard {
        .date
      } else if type == Data.self {
        .data
      } else if type == String?.self {
        .optionalString
      } else if type == Int64?.self {
        .optionalInt64
      } else if type == Int?.self {
        .optionalInt
      } else if type == Double?.self {
        .optionalDouble
      } else if type == Bool?.self {
        .optionalBool
      } else if type == Unique64?.self {
        .optionalUnique64
      } else if type == Date?.self, form == .standard {
        .optionalDate
      } else if type == Data?.self {
        .optionalData
      } else {
        .witness
      }
  }
}

/// The columns of a model as the loops over rows see them, in memory that lives as long as the
/// process.
package struct ColumnSlots: @unchecked Sendable, BitwiseCopyable {
  // Written once, in `init`, and never freed: a model's layout is for ever.
  package let slots: UnsafeBufferPointer<ColumnSlot>
  /// From one model to the next in an array, in bytes.
  package let stride: Int

  package init(_ slots: [ColumnSlot], stride: Int) {
    let memory = UnsafeMutableBufferPointer<ColumnSlot>.allocate(capacity: slots.count)
    _ = memory.initialize(from: slots)
    self.slots = UnsafeBufferPointer(memory)
    self.stride = stride
  }

  /// Marks every column of a model as loaded.
  package func markClean(_ model: UnsafeMutableRawPointer) {
    for slot in slots {
      model.storeBytes(of: 0, toByteOffset: Int(slot.markOffset), as: UInt16.self)
    }
  }

  /// Whether the column at `index` was changed since it was loaded.
  package func isChanged(_ index: Int, in model: UnsafeRawPointer) -> Bool {
    model.load(fromByteOffset: Int(slots[index].markOffset), as: UInt16.self) != 0
  }

  /// Whether the column at `index` was loaded and then set to another value.
  package func isChangedSinceLoading(_ index: Int, in model: UnsafeRawPointer) -> Bool {
    model.load(fromByteOffset: Int(slots[index].markOffset), as: UInt16.self) == 2
  }

  /// Puts those of some columns that were changed since they were loaded at the beginning of a list,
  /// which has room for all; how many they are.
  package func putChanged(
    of columns: UnsafeBufferPointer<UInt16>, in model: UnsafeRawPointer,
    into list: UnsafeMutableBufferPointer<UInt16>
  ) -> Int {
    var count = 0
    for column in columns where isChanged(Int(column), in: model) {
      list[count] = column
      count &+= 1
    }
    return count
  }

  /// Gives the column at `index` of a model a value that the database assigned.
  package func assign(
    _ value: DatabaseValue, toColumn index: Int, of model: UnsafeMutableRawPointer
  ) throws {
    let slot = slots[index]
    let form = slot.form
    func store<Value: ColumnValue>(_ type: Value.Type, at column: UnsafeMutableRawPointer) throws {
      column.assumingMemoryBound(to: ColumnStorage<Value>.self).pointee =
        ColumnStorage(loaded: try value.read(type, as: form))
    }
    try store(slot.type, at: model + Int(slot.offset))
  }
}
