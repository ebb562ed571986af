#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory layout of one column of a model, and how its value is read and bound.
///
/// The type is trivial, so the loops over rows can walk an array of slots without retaining
/// anything. If a slot held closures instead, they would be copied and retained at each use, which
/// would double the time for a row.
package struct ColumnSlot: BitwiseCopyable {
  /// The way in which a column is read and bound. Values of the types that the cases name are read
  /// and bound directly. For `witness`, the library calls the `ColumnValue` methods of the column's
  /// type.
  @frozen
  package enum Kind: UInt8, BitwiseCopyable {
    case int, int64, unique64, bool, double, string, data, date
    case optionalInt, optionalInt64, optionalUnique64, optionalBool, optionalDouble
    case optionalString, optionalData, optionalDate
    case witness
  }

  /// The offset of the column's `ColumnStorage`, in bytes from the start of the model.
  package let offset: Int32
  /// The offset of the mark that says whether the value was loaded or changed, in bytes from the
  /// start of the model.
  package let markOffset: Int32
  package let kind: Kind
  package private(set) var form: StoredForm
  /// The type of the column's value; an optional type if the column is optional.
  package let type: any ColumnValue.Type

  package init<Value: ColumnValue>(offset: Int, type: Value.Type, form: StoredForm) {
    self.offset = Int32(truncatingIfNeeded: offset)
    let mark = MemoryLayout<ColumnStorage<Value>>.offset(of: \.mark) ?? 0
    markOffset = Int32(truncatingIfNeeded: offset + mark)
    self.type = type
    self.form = form
    kind = Kind(type, form: form)
  }

  /// Returns a slot for the same column with another stored form, for example a date as text. The
  /// type of the column must support that form.
  package func stored(as form: StoredForm) -> ColumnSlot {
    var slot = self
    slot.form = form
    return slot
  }
}

extension ColumnSlot.Kind {
  /// Whether the stored value may be a text or bytes. Such a value is bound without a copy, through
  /// a pointer that is valid only inside a closure. The loops must therefore enter a closure for
  /// it.
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

/// The slots of all columns of a model, for the loops over rows. Their memory is never freed.
package struct ColumnSlots: @unchecked Sendable, BitwiseCopyable {
  // The memory is written only in `init`. It is never freed, because a model's layout is never
  // freed.
  package let slots: UnsafeBufferPointer<ColumnSlot>
  /// The distance in bytes from the start of a model in an array to the start of the next one.
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

  /// Whether the column at `index` was never loaded, or was changed since it was loaded.
  package func isChanged(_ index: Int, in model: UnsafeRawPointer) -> Bool {
    model.load(fromByteOffset: Int(slots[index].markOffset), as: UInt16.self) != 0
  }

  /// Whether the column at `index` was loaded and changed afterwards.
  package func isChangedSinceLoading(_ index: Int, in model: UnsafeRawPointer) -> Bool {
    model.load(fromByteOffset: Int(slots[index].markOffset), as: UInt16.self) == 2
  }

  /// Finds the columns among `columns` for which `isChanged(_:in:)` is true, and writes their
  /// numbers to the start of `list`. Returns how many columns were found. The list must have room
  /// for all of `columns`.
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

  /// Sets the column at `index` of a model to a value that the database assigned.
  package func assign(
    _ value: DatabaseValue, toColumn index: Int, of model: UnsafeMutableRawPointer
  ) throws {
    let slot = slots[index]
    let form = slot.form
    if case .null = value, let type = slot.type as? any AnyValueInGroup.Type {
      return type.removeValue(ofColumnAt: model + Int(slot.offset))
    }
    func store<Value: ColumnValue>(_ type: Value.Type, at column: UnsafeMutableRawPointer) throws {
      column.assumingMemoryBound(to: ColumnStorage<Value>.self).pointee =
        ColumnStorage(loaded: try value.read(type, as: form))
    }
    try store(slot.type, at: model + Int(slot.offset))
  }
}

/// A view of a model's column that reads its value without copying it.
///
/// The type is noncopyable, so that Swift borrows its contents. Each access to a copyable
/// `ColumnStorage` would retain and release the text or the bytes. A pointer to a column may be
/// rebound to this type, because the storage is its only property and the layout is the same.
struct ColumnInPlace<Value>: ~Copyable {
  private let storage: ColumnStorage<Value>
}

extension ColumnInPlace where Value == String {
  /// Passes the UTF-8 of the text to a closure, and returns the closure's result. Returns nil if
  /// the column has no value in memory. Returns `.some(nil)` if the bytes of the text are not
  /// contiguous in memory, as may be the case for a text from Objective-C.
  @inline(__always)
  borrowing func withText(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Void?? {
    try storage.value?.utf8.withContiguousStorageIfAvailable(body)
  }
}

extension ColumnInPlace where Value == String? {
  /// Passes the UTF-8 of an optional text to a closure, and returns the closure's result. Returns
  /// nil if the column has no value in memory, or if the text is nil. Returns `.some(nil)` if the
  /// bytes of the text are not contiguous in memory.
  @inline(__always)
  borrowing func withText(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Void?? {
    try storage.value??.utf8.withContiguousStorageIfAvailable(body)
  }
}

extension ColumnInPlace where Value == Data {
  /// Passes the bytes to a closure, and returns the closure's result. Returns nil if the column has
  /// no value in memory.
  @inline(__always)
  borrowing func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Void? {
    try storage.value?.withUnsafeBytes(body)
  }
}

extension ColumnInPlace where Value == Data? {
  /// Passes optional bytes to a closure, and returns the closure's result. Returns nil if the
  /// column has no value in memory, or if the value is nil.
  @inline(__always)
  borrowing func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows -> Void? {
    try storage.value??.withUnsafeBytes(body)
  }
}
