import CSQLite

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

/// Values of rows, one row behind another in one piece of memory, so that recording a row allocates
/// nothing and what nobody asks for is never made into a `String`.
///
/// A *state* is the values of one row, known by where it begins. It has a byte for each value, its
/// kind, then eight bytes for each: the number, or where its text or bytes lie from the state's
/// beginning on and how many they are. Those come behind the states of the row.
///
/// `@unchecked Sendable`: it is written by the access that holds the writer, and handed on after the
/// last write.
package final class RecordedValues: @unchecked Sendable {
  /// A value of which the pre-update hook is asked.
  package struct Source: Sendable {
    /// SQLite's index of the column.
    package let index: Int
    /// Whether whole numbers come as integers though the column holds reals.
    package let isReal: Bool
    /// Whether NULL may stand for the default, in a row that is older than the column.
    package let mayBeMissing: Bool

    package init(index: Int, isReal: Bool, mayBeMissing: Bool) {
      self.index = index
      self.isReal = isReal
      self.mayBeMissing = mayBeMissing
    }
  }

  /// How taking the values of a row ended.
  package enum Outcome {
    case complete
    /// What is NULL may be the default of a column that is younger than the row.
    case doubtful
    /// SQLite does not tell a value.
    case untold
  }

  enum Kind: UInt8 { case null, integer, real, text, blob }

  @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var capacity = 0
  /// How many bytes are used.
  @exclusivity(unchecked) package private(set) var count = 0
  /// How text lies here: as it does in the database.
  package let encoding: TextEncoding
  private let isUTF8: Bool

  package init(encoding: TextEncoding) {
    self.encoding = encoding
    isUTF8 = encoding == .utf8
  }

  deinit {
    bytes?.deallocate()
  }

  /// Forgets what came behind the first bytes; what a large transaction needed is given back.
  package func truncate(to count: Int) {
    self.count = count
    guard count == 0, capacity > 1 << 16 else { return }
    bytes?.deallocate()
    bytes = nil
    capacity = 0
  }

  /// Appends room for states of so many values each, of one row, and returns the first.
  package func reserve(states: Int = 1, of valueCount: Int) -> Int {
    let start = count
    _ = grow(by: states * Self.size(of: valueCount))
    return start
  }

  /// The state behind another one, of those that were reserved together.
  package static func state(behind state: Int, of valueCount: Int) -> Int {
    state + size(of: valueCount)
  }

  static func size(of valueCount: Int) -> Int { 9 * valueCount }

  // MARK: Filling

  /// Takes the values of the row before, or of the row after.
  ///
  /// - Parameter count: how many values the state has, where more than there are sources.
  package func fill(
    _ state: Int, before isBefore: Bool, of event: borrowing PreUpdateEvent,
    from sources: UnsafeBufferPointer<Source>, among count: Int? = nil
  ) -> Outcome {
    let valueCount = count ?? sources.count
    var outcome = Outcome.complete
    for place in sources.indices {
      let source = sources[place]
      guard
        let value = isBefore ? event.oldValue(at: source.index) : event.newValue(at: source.index),
        let kind = fill(state, at: place, of: valueCount, from: value, isReal: source.isReal)
      else { return .untold }
      if isBefore, kind == .null, source.mayBeMissing { outcome = .doubtful }
    }
    return outcome
  }

  /// Takes the values of the row after from those before, but for some of them; false where SQLite
  /// does not tell a value.
  package func fill(
    _ state: Int, after before: Int, but places: [Int], of event: borrowing PreUpdateEvent,
    from sources: UnsafeBufferPointer<Source>
  ) -> Bool {
    let valueCount = sources.count
    guard let bytes else { return false }
    (bytes + state).copyMemory(from: bytes + before, byteCount: Self.size(of: valueCount))
    let distance = UInt32(truncatingIfNeeded: state - before)
    for place in sources.indices where kind(of: state, at: place).hasBytes {
      // It lies where it lay.
      let slot = slot(of: state, at: place, of: valueCount)
      let offset = slot.loadUnaligned(as: UInt32.self)
      slot.storeBytes(of: offset &- distance, as: UInt32.self)
    }
    for place in places {
      guard let value = event.newValue(at: sources[place].index),
        fill(state, at: place, of: valueCount, from: value, isReal: sources[place].isReal) != nil
      else { return false }
    }
    return true
  }

  /// Puts values in.
  package func fill(_ state: Int, with values: [DatabaseValue]) -> Bool {
    for (place, value) in values.enumerated() {
      guard fill(state, at: place, of: values.count, with: value) else { return false }
    }
    return true
  }

  /// Puts a value in; false where the row has more bytes than can be counted here.
  package func fill(
    _ state: Int, at place: Int, of valueCount: Int, with value: DatabaseValue
  ) -> Bool {
    switch value {
    case .null: set(state, at: place, of: valueCount, .null, 0)
    case .integer(let value):
      set(state, at: place, of: valueCount, .integer, UInt64(bitPattern: value))
    case .real(let value): set(state, at: place, of: valueCount, .real, value.bitPattern)
    case .text(let value):
      return encoding.withBytes(of: value) {
        append($0, .text, to: state, at: place, of: valueCount)
      }
    case .blob(let value):
      return value.withUnsafeBytes { append($0, .blob, to: state, at: place, of: valueCount) }
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
      // Asked for text, SQLite would copy it to put a zero behind it; asked for bytes in another
      // encoding, it would convert it.
      let start = sqlite3_value_blob(value)
      let count =
        isUTF8 ? sqlite3_value_bytes(value) : sqlite3_value_bytes16(value)
      let text = UnsafeRawBufferPointer(start: start, count: Int(count))
      return append(text, .text, to: state, at: place, of: valueCount) ? .text : nil
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let blob = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      return append(blob, .blob, to: state, at: place, of: valueCount) ? .blob : nil
    default:
      set(state, at: place, of: valueCount, .null, 0)
      return .null
    }
  }

  @inline(__always)
  private func set(
    _ state: Int, at place: Int, of valueCount: Int, _ kind: Kind, _ payload: UInt64
  ) {
    guard let bytes else { return }
    bytes.storeBytes(of: kind.rawValue, toByteOffset: state + place, as: UInt8.self)
    slot(of: state, at: place, of: valueCount).storeBytes(of: payload, as: UInt64.self)
  }

  private func append(
    _ content: UnsafeRawBufferPointer, _ kind: Kind, to state: Int, at place: Int,
    of valueCount: Int
  ) -> Bool {
    guard let offset = UInt32(exactly: count - state),
      let length = UInt32(exactly: content.count)
    else { return false }
    let target = grow(by: content.count)
    if let start = content.baseAddress { target.copyMemory(from: start, byteCount: content.count) }
    set(state, at: place, of: valueCount, kind, UInt64(offset) | UInt64(length) << 32)
    return true
  }

  /// Where that many bytes may be put.
  private func grow(by size: Int) -> UnsafeMutableRawPointer {
    let start = count
    count += size
    if let bytes, count <= capacity { return bytes + start }
    let larger = Swift.max(512, capacity * 2, count)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    if let bytes {
      new.copyMemory(from: bytes, byteCount: start)
      bytes.deallocate()
    }
    bytes = new
    capacity = larger
    return new + start
  }

  // MARK: Reading

  /// The value at a place of a state.
  package func value(of state: Int, at place: Int, of valueCount: Int) -> DatabaseValue {
    let payload = payload(of: state, at: place, of: valueCount)
    switch kind(of: state, at: place) {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: payload))
    case .real: return .real(Double(bitPattern: payload))
    // Text that is no UTF-8 is repaired: a change is not lost for it.
    case .text: return .text(encoding.repairedString(content(of: state, payload)))
    case .blob: return .blob(Data(content(of: state, payload)))
    }
  }

  /// The value at a place of a state; nil for text that SQLite would not have back as it was:
  /// invalid text above all, which no `String` holds.
  package func exactValue(
    of state: Int, at place: Int, of valueCount: Int
  ) -> DatabaseValue? {
    guard kind(of: state, at: place) == .text else {
      return value(of: state, at: place, of: valueCount)
    }
    let payload = payload(of: state, at: place, of: valueCount)
    return encoding.exactString(content(of: state, payload)).map { .text($0) }
  }

  /// The values of a state.
  package func values(of state: Int, count: Int) -> [DatabaseValue] {
    (0..<count).map { value(of: state, at: $0, of: count) }
  }

  package func isNull(_ state: Int, at place: Int) -> Bool { kind(of: state, at: place) == .null }

  /// Whether two states have the same value at a place, as `DatabaseValue` compares; text by its
  /// bytes, also if it is invalid.
  package func isSame(_ first: Int, _ second: Int, at place: Int, of valueCount: Int) -> Bool {
    let kind = kind(of: first, at: place)
    guard kind == self.kind(of: second, at: place) else { return false }
    let left = payload(of: first, at: place, of: valueCount)
    let right = payload(of: second, at: place, of: valueCount)
    switch kind {
    case .null: return true
    case .integer: return left == right
    case .real: return Double(bitPattern: left) == Double(bitPattern: right)
    case .text, .blob:
      let (left, right) = (content(of: first, left), content(of: second, right))
      guard left.count == right.count else { return false }
      guard left.baseAddress != right.baseAddress, let start = left.baseAddress,
        let other = right.baseAddress
      else { return true }
      return memcmp(start, other, left.count) == 0
    }
  }

  /// Whether two states have the same values.
  package func isSame(_ first: Int, _ second: Int, count: Int) -> Bool {
    (0..<count).allSatisfy { isSame(first, second, at: $0, of: count) }
  }

  /// Feeds the values of a state to a hasher, equal ones alike.
  package func hash(_ state: Int, count: Int, into hasher: inout Hasher) {
    for place in 0..<count {
      let kind = kind(of: state, at: place)
      let payload = payload(of: state, at: place, of: count)
      hasher.combine(kind.rawValue)
      switch kind {
      case .null: break
      case .integer: hasher.combine(payload)
      case .real: hasher.combine(Double(bitPattern: payload))
      case .text, .blob: hasher.combine(bytes: content(of: state, payload))
      }
    }
  }

  @inline(__always)
  private func kind(of state: Int, at place: Int) -> Kind {
    bytes.flatMap { Kind(rawValue: $0.load(fromByteOffset: state + place, as: UInt8.self)) }
      ?? .null
  }

  @inline(__always)
  private func slot(
    of state: Int, at place: Int, of valueCount: Int
  ) -> UnsafeMutableRawPointer {
    // Every state lies in memory that is there.
    bytes.unsafelyUnwrapped + (state + valueCount + 8 * place)
  }

  @inline(__always)
  private func payload(of state: Int, at place: Int, of valueCount: Int) -> UInt64 {
    slot(of: state, at: place, of: valueCount).loadUnaligned(as: UInt64.self)
  }

  private func content(of state: Int, _ payload: UInt64) -> UnsafeRawBufferPointer {
    guard let bytes else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      start: bytes + (state + Int(payload & 0xFFFF_FFFF)), count: Int(payload >> 32))
  }
}

extension RecordedValues.Kind {
  fileprivate var hasBytes: Bool { self == .text || self == .blob }
}
