import CSQLite
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A buffer of row values. All rows are stored one after another in one block of memory. So
/// recording a row usually allocates nothing, and a text becomes a `String` only when it is read.
///
/// A *state* has the values of one row at one time. It is identified by the offset in the buffer at
/// which it begins. It has one byte for the kind of each value, and then eight bytes for each
/// value. The eight bytes are the number itself, or the offset (from the beginning of the state)
/// and the length of a text or BLOB. The texts and BLOBs come after all states of the row.
///
/// `@unchecked Sendable`: only the access that holds the writer changes the buffer, and passes it
/// to other threads only after the last change.
package final class RecordedValues: @unchecked Sendable {
  /// A column whose value is read from the pre-update hook.
  struct Source: Sendable, BitwiseCopyable {
    /// The number that the pre-update hook uses for the column.
    let index: Int32
    /// Whether integers are recorded as reals, because the column has REAL affinity.
    let isReal: Bool
    /// Whether SQLite may report NULL in place of the column's default, for a row that was inserted
    /// before ALTER TABLE added the column.
    let mayBeMissing: Bool

    init(index: Int, isReal: Bool, mayBeMissing: Bool) {
      self.index = Int32(truncatingIfNeeded: index)
      self.isReal = isReal
      self.mayBeMissing = mayBeMissing
    }
  }

  /// The outcome of recording the values of a row.
  enum Outcome {
    case complete
    /// SQLite reported NULL for a column with a default. If the row was inserted before the column
    /// was added, its real value is the default.
    case doubtful
    /// SQLite did not report a value.
    case unknown
  }

  enum Kind: UInt8 { case null, integer, real, text, blob }

  @exclusivity(unchecked) private(set) var bytes: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private(set) var capacity = 0
  /// The number of bytes in use.
  ///
  /// This is a calculated property. If it were a stored property, code in other modules would check
  /// the exclusivity of each access.
  var count: Int { used }
  @exclusivity(unchecked) private var used = 0
  /// The encoding of text in the buffer: the database's encoding.
  let encoding: TextEncoding
  private let isUTF8: Bool

  init(encoding: TextEncoding) {
    self.encoding = encoding
    isUTF8 = encoding == .utf8
  }

  deinit {
    free(bytes)
  }

  /// Removes everything after the first `count` bytes. If nothing remains and the block of memory
  /// is large, frees the block.
  func truncate(to count: Int) {
    used = count
    defer { didChange() }
    guard count == 0, capacity > 1 << 16 else { return }
    free(bytes)
    bytes = nil
    capacity = 0
  }

  /// Reserves room at the end for one or more states of a row, with `valueCount` values each.
  /// Returns the offset of the first state, or nil if there is not enough memory.
  func reserve(states: Int = 1, of valueCount: Int) -> Int? {
    let start = used
    guard grow(by: states * Self.size(of: valueCount)) != nil else { return nil }
    return start
  }

  /// Returns the offset of the second of two states for which `reserve` made room. It begins where
  /// the first state ends.
  static func state(behind state: Int, of valueCount: Int) -> Int {
    state + size(of: valueCount)
  }

  static func size(of valueCount: Int) -> Int { 9 * valueCount }

  // MARK: Filling

  /// Reads the values of a row, before or after its change, from the pre-update hook, and records
  /// them.
  ///
  /// - Parameter count: The number of values in the state. If nil, this is the number of sources.
  func fill(
    _ state: Int, before isBefore: Bool, of event: borrowing PreUpdateEvent,
    from sources: UnsafeBufferPointer<Source>, among count: Int? = nil
  ) -> Outcome {
    let valueCount = count ?? sources.count
    let handle = event.handle
    var outcome = Outcome.complete
    for place in 0..<sources.count {
      let source = sources[place]
      var value: OpaquePointer?
      let code =
        isBefore
        ? sqlite3_preupdate_old(handle, source.index, &value)
        : sqlite3_preupdate_new(handle, source.index, &value)
      guard code == SQLITE_OK, let value,
        let kind = fill(state, at: place, of: valueCount, from: value, isReal: source.isReal)
      else { return .unknown }
      if kind == .null, source.mayBeMissing, isBefore { outcome = .doubtful }
    }
    return outcome
  }

  /// Records the values of a row after the change. Only the values at `places` are read from the
  /// hook. All others are copied from the state `before`. Returns false if SQLite did not report a
  /// value.
  func fill(
    _ state: Int, after before: Int, but places: UnsafeBufferPointer<Int>,
    of event: borrowing PreUpdateEvent, from sources: UnsafeBufferPointer<Source>
  ) -> Bool {
    let valueCount = sources.count
    guard let bytes else { return false }
    let kinds = bytes + state
    kinds.copyMemory(from: bytes + before, byteCount: Self.size(of: valueCount))
    let distance = UInt32(truncatingIfNeeded: state - before)
    for place in 0..<valueCount
    where kinds.load(fromByteOffset: place, as: UInt8.self) >= Kind.text.rawValue {
      // The text or BLOB is not copied. Both states refer to the same bytes. The offset of the
      // bytes is counted from the beginning of the state, so it is smaller in the later state.
      let slot = kinds + (valueCount &+ 8 &* place)
      let offset = slot.loadUnaligned(as: UInt32.self)
      slot.storeBytes(of: offset &- distance, as: UInt32.self)
    }
    let handle = event.handle
    for place in places {
      let source = sources[place]
      var value: OpaquePointer?
      guard sqlite3_preupdate_new(handle, source.index, &value) == SQLITE_OK, let value,
        fill(state, at: place, of: valueCount, from: value, isReal: source.isReal) != nil
      else { return false }
    }
    return true
  }

  /// Stores values. Returns false if a value cannot be stored.
  func fill(_ state: Int, with values: [DatabaseValue]) -> Bool {
    for (place, value) in values.enumerated() {
      guard fill(state, at: place, of: values.count, with: value) else { return false }
    }
    return true
  }

  /// Stores a value. Returns false if there is not enough memory, or if an offset or a length does
  /// not fit in 32 bits.
  func fill(
    _ state: Int, at place: Int, of valueCount: Int, with value: DatabaseValue
  ) -> Bool {
    switch value {
    case .null: set(state, at: place, of: valueCount, .null, 0)
    case .integer(let value):
      set(state, at: place, of: valueCount, .integer, UInt64(bitPattern: value))
    case .real(let value): set(state, at: place, of: valueCount, .real, value.bitPattern)
    case .text(let value):
      return encoding.withBytes(of: value) {
        append($0.baseAddress, count: $0.count, .text, to: state, at: place, of: valueCount)
      }
    case .invalidText(let value):
      return value.withUnsafeBytes {
        append($0.baseAddress, count: $0.count, .text, to: state, at: place, of: valueCount)
      }
    case .blob(let value):
      return value.withUnsafeBytes {
        append($0.baseAddress, count: $0.count, .blob, to: state, at: place, of: valueCount)
      }
    }
    return true
  }

  @inline(__always)
  private func fill(
    _ state: Int, at place: Int, of valueCount: Int, from value: OpaquePointer, isReal: Bool
  ) -> Kind? {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      let integer = sqlite3_value_int64(value)
      if isReal {
        set(state, at: place, of: valueCount, .real, Double(integer).bitPattern)
        return .real
      }
      set(state, at: place, of: valueCount, .integer, UInt64(bitPattern: integer))
      return .integer
    case SQLITE_FLOAT:
      set(state, at: place, of: valueCount, .real, sqlite3_value_double(value).bitPattern)
      return .real
    case SQLITE_TEXT:
      // The text is read as a BLOB, because `sqlite3_value_text` would copy the text to add a
      // terminating zero. The length is read in the encoding of the text, because SQLite would
      // otherwise convert the text.
      let start = sqlite3_value_blob(value)
      let count = Int(isUTF8 ? sqlite3_value_bytes(value) : sqlite3_value_bytes16(value))
      return append(start, count: count, .text, to: state, at: place, of: valueCount) ? .text : nil
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      return append(start, count: count, .blob, to: state, at: place, of: valueCount) ? .blob : nil
    default:
      set(state, at: place, of: valueCount, .null, 0)
      return .null
    }
  }

  @inline(__always)
  private func set(
    _ state: Int, at place: Int, of valueCount: Int, _ kind: Kind, _ payload: UInt64
  ) {
    let kinds = memory + state
    kinds.storeBytes(of: kind.rawValue, toByteOffset: place, as: UInt8.self)
    kinds.storeBytes(of: payload, toByteOffset: valueCount &+ 8 &* place, as: UInt64.self)
  }

  @inline(__always)
  private func append(
    _ content: UnsafeRawPointer?, count length: Int, _ kind: Kind, to state: Int, at place: Int,
    of valueCount: Int
  ) -> Bool {
    let offset = used &- state
    guard offset <= Int(UInt32.max), length <= Int(UInt32.max), let target = grow(by: length)
    else { return false }
    if let content { memcpy(target, content, length) }
    set(
      state, at: place, of: valueCount, kind,
      UInt64(truncatingIfNeeded: offset) | UInt64(truncatingIfNeeded: length) << 32)
    return true
  }

  /// Appends `size` bytes and returns the address of the first; nil if there is not enough memory.
  @inline(__always)
  private func grow(by size: Int) -> UnsafeMutableRawPointer? {
    let start = used
    guard let bytes, start &+ size <= capacity else { return growCapacity(by: size) }
    used = start &+ size
    return bytes + start
  }

  /// Enlarges the block of memory. The C library can often do so without copying the block.
  @inline(never)
  private func growCapacity(by size: Int) -> UnsafeMutableRawPointer? {
    let start = used
    let larger = Swift.max(512, capacity * 2, start + size)
    guard let new = realloc(bytes, larger) else { return nil }
    bytes = new
    capacity = larger
    used = start + size
    didChange()
    return new + start
  }

  // MARK: Layout

  /// The memory of the states. `bytes` is not nil here, because a state exists only after memory
  /// was allocated for it.
  @inline(__always)
  private var memory: UnsafeMutableRawPointer { bytes.unsafelyUnwrapped }

  @inline(__always)
  func kind(of state: Int, at place: Int) -> Kind {
    bytes.flatMap { Kind(rawValue: $0.load(fromByteOffset: state + place, as: UInt8.self)) }
      ?? .null
  }

  @inline(__always)
  func payload(of state: Int, at place: Int, of valueCount: Int) -> UInt64 {
    (memory + (state &+ valueCount &+ 8 &* place)).loadUnaligned(as: UInt64.self)
  }

  func content(of state: Int, _ payload: UInt64) -> UnsafeRawBufferPointer {
    guard let bytes else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      start: bytes + (state + Int(payload & 0xFFFF_FFFF)), count: Int(payload >> 32))
  }
}

extension RecordedValues {
  @inline(__always)
  private func didChange() {
    #if DEBUG
      InvariantChecks.run { try checkInvariants() }
    #endif
  }

  #if DEBUG
    /// Throws if the bytes in use do not fit into the memory.
    func checkInvariants() throws {
      try InvariantChecks.require(
        (0...capacity).contains(count) && (bytes == nil) == (capacity == 0),
        "recorded values take \(count) bytes of \(capacity)")
    }

    /// Checks a state with recorded values. Throws if the state is not within the bytes in use, if
    /// a value has an unknown kind, or if a text or BLOB does not come after the state.
    func checkInvariants(of state: Int, valueCount: Int) throws {
      try checkInvariants()
      let size = Self.size(of: valueCount)
      try InvariantChecks.require(
        state >= 0 && state + size <= count, "the state \(state) is outside the \(count) bytes")
      for place in 0..<valueCount {
        let byte = bytes?.load(fromByteOffset: state + place, as: UInt8.self) ?? 0
        try InvariantChecks.require(
          Kind(rawValue: byte) != nil, "a value of the state \(state) has the kind \(byte)")
        guard kind(of: state, at: place).hasBytes else { continue }
        let payload = payload(of: state, at: place, of: valueCount)
        let (offset, length) = (Int(payload & 0xFFFF_FFFF), Int(payload >> 32))
        try InvariantChecks.require(
          offset >= size && state + offset + length <= count,
          "the bytes of a value of the state \(state) are outside the recorded ones")
      }
    }
  #endif
}

extension RecordedValues.Kind {
  /// Whether the value is a text or BLOB, which is stored after the states.
  fileprivate var hasBytes: Bool { rawValue >= Self.text.rawValue }
}
