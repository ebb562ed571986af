import SQLCore
import Synchronization

extension ResultRow {
  /// The layout of the type, which is made at the first use. Later uses find it without a lock.
  ///
  /// Throws `ModelError` if the type cannot be a table or a row.
  @usableFromInline
  package static var layout: ModelLayout {
    get throws { try LayoutRegistry.shared.layout(of: Self.self).takeUnretainedValue() }
  }

  /// The layout of the type, as an unmanaged reference. Short calls use it, because retaining a
  /// layout would take a noticeable part of their time. A layout lives for ever.
  @usableFromInline
  package static var unmanagedLayout: Unmanaged<ModelLayout> {
    get throws { try LayoutRegistry.shared.layout(of: Self.self) }
  }

  /// The cache that the schema declares for the rows; nil if rows are not cached.
  @usableFromInline
  static var caching: ModelCaching? {
    get throws { try unmanagedLayout._withUnsafeGuaranteedRef { $0.caching } }
  }

  /// The number of the model's row cache. It is nil if the rows are not cached, or if their keys do
  /// not have 8 bytes.
  @usableFromInline
  static var wordCache: Int? {
    LayoutRegistry.shared.wordCache(of: unsafeBitCast(Self.self, to: UnsafeRawPointer.self))
  }
}

/// The layouts of all models and row types of the process.
///
/// A reader needs no lock: it finds a layout by the address of the type's metadata, in a hash table
/// of atomics. A layout is made while no lock is held, because the model's `schema` is the caller's
/// code. If two threads make the same layout at once, the first one is kept. Layouts are never
/// freed. If a larger hash table replaces a hash table, the replaced one is not freed either.
package final class LayoutRegistry: Sendable {
  package static let shared = LayoutRegistry()

  /// A hash table of types and their layouts, with open addressing. Its memory is not
  /// reference-counted, so that a lookup does not retain and release it.
  private struct Table {
    struct Entry: ~Copyable {
      let key = Atomic<UInt>(0)
      let layout = Atomic<UInt>(0)
    }

    struct Header {
      let mask: Int
      let entries: UnsafeMutablePointer<Entry>
    }

    let header: UnsafeMutablePointer<Header>

    init(capacity: Int) {
      let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
      for index in 0..<capacity { (entries + index).initialize(to: Entry()) }
      header = .allocate(capacity: 1)
      header.initialize(to: Header(mask: capacity - 1, entries: entries))
    }

    init(header: UnsafeMutablePointer<Header>) {
      self.header = header
    }

    var capacity: Int { header.pointee.mask + 1 }

    @inline(__always)
    func find(_ key: UInt) -> Unmanaged<ModelLayout>? {
      let mask = header.pointee.mask
      let entries = header.pointee.entries
      var index = Self.hash(key) & mask
      while true {
        let found = entries[index].key.load(ordering: .acquiring)
        if found == key {
          let layout = entries[index].layout.load(ordering: .acquiring)
          return UnsafeRawPointer(bitPattern: layout).map { Unmanaged.fromOpaque($0) }
        }
        if found == 0 { return nil }
        index = (index &+ 1) & mask
      }
    }

    func insert(_ layout: UInt, for key: UInt) {
      let mask = header.pointee.mask
      let entries = header.pointee.entries
      var index = Self.hash(key) & mask
      while entries[index].key.load(ordering: .relaxed) != 0 { index = (index &+ 1) & mask }
      entries[index].layout.store(layout, ordering: .releasing)
      entries[index].key.store(key, ordering: .releasing)
    }

    private static func hash(_ key: UInt) -> Int {
      Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
  }

  private struct State {
    var layouts: [ModelLayout] = []
    var keys: [UInt] = []
    /// The layouts by their numbers, which start at 1. An entry is nil while its layout is being
    /// made.
    var numbered: [ModelLayout?] = []
    /// Numbers for which no layout could be made, or for which another thread made the layout
    /// first.
    var freeNumbers: [UInt16] = []
  }

  private let state = Lock(State())
  /// The address of the header of the newest hash table.
  private let table: Atomic<UInt>

  private init() {
    table = Atomic(UInt(bitPattern: Table(capacity: 64).header))
  }

  private var current: Table? {
    UnsafeMutablePointer(bitPattern: table.load(ordering: .acquiring)).map(Table.init(header:))
  }

  @inline(__always)
  func layout<M: ResultRow>(of model: M.Type) throws -> Unmanaged<ModelLayout> {
    let key = UInt(bitPattern: unsafeBitCast(model, to: UnsafeRawPointer.self))
    if let found = current?.find(key) { return found }
    // The reference does not retain the layout, because the registry keeps it alive.
    return .passUnretained(try make(model, key: key))
  }

  /// Returns the `names` and the `number` of a model's layout, without retaining the layout; nil if
  /// the layout was not made yet.
  @inline(__always)
  func names(of model: UnsafeRawPointer) -> (names: ModelLayout.Names, number: UInt16)? {
    current?.find(UInt(bitPattern: model))?._withUnsafeGuaranteedRef {
      ($0.names, $0.number)
    }
  }

  /// Returns the number of a model's row cache, if the keys of the rows have 8 bytes. Returns nil
  /// if there is no such cache, or if the layout was not made yet.
  @inline(__always)
  func wordCache(of model: UnsafeRawPointer) -> Int? {
    current?.find(UInt(bitPattern: model))?._withUnsafeGuaranteedRef { $0.wordCache }
  }

  /// Returns the layout with that number. A `TableID` in a query holds this number instead of the
  /// layout.
  package func layout(number: UInt16) -> ModelLayout? {
    state.withLock { state in
      let index = Int(number) - 1
      return state.numbered.indices.contains(index) ? state.numbered[index] : nil
    }
  }

  private func make<M: ResultRow>(_ model: M.Type, key: UInt) throws -> ModelLayout {
    let number = try state.withLock { state in
      if let number = state.freeNumbers.popLast() { return number }
      guard let number = UInt16(exactly: state.numbered.count + 1) else {
        throw ModelError(model, "a process has at most 65,535 types of models and rows")
      }
      state.numbered.append(nil)
      return number
    }
    var isTaken = false
    defer { if !isTaken { state.withLock { $0.freeNumbers.append(number) } } }
    let made = try ModelLayout.make(of: model, number: number)
    if M.self is any TableModel.Type {
      KnownModels.note(String(nameOf: M.self), table: made.tableName)
    }
    return state.withLock { state in
      if let index = state.keys.firstIndex(of: key) { return state.layouts[index] }
      isTaken = true
      state.layouts.append(made)
      state.keys.append(key)
      state.numbered[Int(number) - 1] = made
      publish(&state)
      return made
    }
  }

  /// Adds the layout that was made last to the hash table, or to a larger one that replaces it.
  private func publish(_ state: inout State) {
    guard let current else { return }
    if state.layouts.count * 2 < current.capacity {
      insert(state.layouts.count - 1, of: state, into: current)
      return
    }
    let larger = Table(capacity: current.capacity * 2)
    for index in state.layouts.indices { insert(index, of: state, into: larger) }
    // The old table is not freed, because a reader may be using it.
    table.store(UInt(bitPattern: larger.header), ordering: .releasing)
  }

  private func insert(_ index: Int, of state: State, into table: Table) {
    let layout = Unmanaged.passUnretained(state.layouts[index]).toOpaque()
    table.insert(UInt(bitPattern: layout), for: state.keys[index])
  }
}
