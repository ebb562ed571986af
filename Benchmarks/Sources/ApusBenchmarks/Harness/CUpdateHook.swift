import CSQLiteBench
import Foundation

/// A pre-update hook over the C API, written by hand for updates of one column of `Item`. The hook
/// keeps the same values of each updated row as Apus: the key, the other seven values before the
/// update, and the new value of the assigned column.
///
/// The hook relies on facts that a library cannot know: the columns and their types, the column
/// that is assigned, and that one statement makes all changes, which are updates.
final class CUpdateHook {
  /// The values of one updated row. Its texts and its bytes are stored in the arena.
  private struct Row {
    var key: Int64
    var score: Double
    var oldCount: Int64
    var newCount: Int64
    var flag: Int64
    var createdAt: Int64
    var title: Span
    var body: Span
    var payload: Span
  }

  /// A text or bytes in the arena. NULL has the length −1.
  private struct Span {
    var offset: UInt32
    var length: Int32
  }

  private let connection: CConnection
  private var rows: UnsafeMutablePointer<Row>
  private var rowCapacity = 1_024
  private var rowCount = 0
  private var arena: UnsafeMutableRawPointer
  private var arenaCapacity = 1 << 16
  private var arenaCount = 0
  private var hasFailed = false

  /// Installs the hook on a connection. The hook is removed when this object is destroyed.
  init(on connection: CConnection) {
    self.connection = connection
    rows = .allocate(capacity: rowCapacity)
    arena = .allocate(byteCount: arenaCapacity, alignment: 16)
    sqlite3_preupdate_hook(
      connection.handle,
      { context, handle, operation, _, table, oldKey, _ in
        guard let context, let handle, let table, operation == SQLITE_UPDATE,
          strcmp(table, "Item") == 0
        else { return }
        Unmanaged<CUpdateHook>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.record(handle, key: oldKey)
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    sqlite3_preupdate_hook(connection.handle, nil, nil)
    rows.deallocate()
    arena.deallocate()
  }

  private func record(_ handle: OpaquePointer, key: Int64) {
    guard let title = old(handle, 1), let body = old(handle, 2), let score = old(handle, 3),
      let oldCount = old(handle, 4), let flag = old(handle, 5), let createdAt = old(handle, 6),
      let payload = old(handle, 7), let newCount = new(handle, 4)
    else {
      hasFailed = true
      return
    }
    if rowCount == rowCapacity { growRows() }
    (rows + rowCount).initialize(
      to: Row(
        key: key, score: sqlite3_value_double(score), oldCount: sqlite3_value_int64(oldCount),
        newCount: sqlite3_value_int64(newCount), flag: sqlite3_value_int64(flag),
        createdAt: sqlite3_value_int64(createdAt), title: copy(title), body: copy(body),
        payload: copy(payload)))
    rowCount &+= 1
  }

  @inline(__always)
  private func old(_ handle: OpaquePointer, _ column: Int32) -> OpaquePointer? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_old(handle, column, &value) == SQLITE_OK else { return nil }
    return value
  }

  @inline(__always)
  private func new(_ handle: OpaquePointer, _ column: Int32) -> OpaquePointer? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_new(handle, column, &value) == SQLITE_OK else { return nil }
    return value
  }

  /// Copies a text or bytes into the arena. It reads a text with `sqlite3_value_blob`, which
  /// returns the bytes of the text without a copy. `sqlite3_value_text` would first make a copy
  /// with a zero at its end.
  @inline(__always)
  private func copy(_ value: OpaquePointer) -> Span {
    guard sqlite3_value_type(value) != SQLITE_NULL else { return Span(offset: 0, length: -1) }
    let start = sqlite3_value_blob(value)
    let length = sqlite3_value_bytes(value)
    let offset = arenaCount
    if offset &+ Int(length) > arenaCapacity { growArena(for: Int(length)) }
    if let start { memcpy(arena + offset, start, Int(length)) }
    arenaCount = offset &+ Int(length)
    return Span(offset: UInt32(truncatingIfNeeded: offset), length: length)
  }

  @inline(never)
  private func growRows() {
    let larger = UnsafeMutablePointer<Row>.allocate(capacity: rowCapacity * 2)
    larger.moveInitialize(from: rows, count: rowCount)
    rows.deallocate()
    (rows, rowCapacity) = (larger, rowCapacity * 2)
  }

  @inline(never)
  private func growArena(for length: Int) {
    let capacity = max(arenaCapacity * 2, arenaCount + length)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: arena, byteCount: arenaCount)
    arena.deallocate()
    (arena, arenaCapacity) = (larger, capacity)
  }

  /// Calls a closure with the old and the new count of each row whose count has changed since the
  /// last call. If a row was updated several times, the closure is called once, with the old value
  /// of the first update and the new value of the last one. The recorded updates are then removed.
  @inline(__always)
  func deliver(_ body: (_ old: Int64, _ new: Int64) -> Void) throws {
    guard !hasFailed else { throw CError(code: SQLITE_NOMEM) }
    // A hash table with linear probing, from keys to netted rows. A slot has the number of a row,
    // counted from 1, or 0 if the slot is free.
    var capacity = 16
    while capacity < rowCount * 2 { capacity *= 2 }
    let slots = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
    defer { slots.deallocate() }
    slots.initialize(repeating: 0, count: capacity)
    var netCount = 0
    for index in 0..<rowCount {
      let key = rows[index].key
      var slot =
        Int(truncatingIfNeeded: UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15 >> 32)
        & (capacity &- 1)
      while slots[slot] != 0, rows[Int(slots[slot]) &- 1].key != key {
        slot = (slot &+ 1) & (capacity &- 1)
      }
      if slots[slot] == 0 {
        rows[netCount] = rows[index]
        netCount &+= 1
        slots[slot] = Int32(truncatingIfNeeded: netCount)
      } else {
        rows[Int(slots[slot]) &- 1].newCount = rows[index].newCount
      }
    }
    for index in 0..<netCount where rows[index].oldCount != rows[index].newCount {
      body(rows[index].oldCount, rows[index].newCount)
    }
    rowCount = 0
    arenaCount = 0
  }
}
