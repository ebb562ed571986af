import SQLCore
import Synchronization

extension ResultRow {
  /// What is known of the type; read at the first use, found without a lock afterwards.
  ///
  /// Throws `ModelError` where the type cannot be a table, or a row.
  @usableFromInline
  package static var layout: ModelLayout {
    get throws { try LayoutRegistry.shared.layout(of: Self.self) }
  }
}

/// The layouts of all models of the process.
///
/// Readers probe a table of atomics by the address of the type's metadata, and take no lock. A
/// layout is made outside the lock, since the model's `schema` is the user's code; who comes first
/// is kept. Layouts and outgrown tables are never freed.
package final class LayoutRegistry: Sendable {
  package static let shared = LayoutRegistry()

  /// Types and their layouts, with open addressing, in memory that nothing counts references to:
  /// it is read for each call.
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
    func find(_ key: UInt) -> ModelLayout? {
      let mask = header.pointee.mask
      let entries = header.pointee.entries
      var index = Self.hash(key) & mask
      while true {
        let found = entries[index].key.load(ordering: .acquiring)
        if found == key {
          let layout = entries[index].layout.load(ordering: .acquiring)
          return UnsafeRawPointer(bitPattern: layout).map {
            Unmanaged<ModelLayout>.fromOpaque($0).takeUnretainedValue()
          }
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
    /// The layouts in the order of their numbers, which begin with 1; nil while one is being made, and
    /// for good where another thread made it first.
    var numbered: [ModelLayout?] = []
  }

  private let state = Lock(State())
  /// The address of the table's header.
  private let table: Atomic<UInt>

  private init() {
    table = Atomic(UInt(bitPattern: Table(capacity: 64).header))
  }

  private var current: Table? {
    UnsafeMutablePointer(bitPattern: table.load(ordering: .acquiring)).map(Table.init(header:))
  }

  @inline(__always)
  func layout<M: ResultRow>(of model: M.Type) throws -> ModelLayout {
    let key = UInt(bitPattern: unsafeBitCast(model, to: UnsafeRawPointer.self))
    if let found = current?.find(key) { return found }
    return try make(model, key: key)
  }

  /// The layout of that number, as a shape names it.
  package func layout(number: UInt16) -> ModelLayout? {
    state.withLock { state in
      let index = Int(number) - 1
      return state.numbered.indices.contains(index) ? state.numbered[index] : nil
    }
  }

  private func make<M: ResultRow>(_ model: M.Type, key: UInt) throws -> ModelLayout {
    let number = try state.withLock { state in
      guard let number = UInt16(exactly: state.numbered.count + 1) else {
        throw ModelError(model, "a process has at most 65,535 types of models and rows")
      }
      state.numbered.append(nil)
      return number
    }
    let made = try ModelLayout.make(of: model, number: number)
    if M.self is any Model.Type {
      KnownModels.note(String(describing: M.self), table: made.tableName)
    }
    return state.withLock { state in
      if let index = state.keys.firstIndex(of: key) { return state.layouts[index] }
      state.layouts.append(made)
      state.keys.append(key)
      state.numbered[Int(number) - 1] = made
      publish(&state)
      return made
    }
  }

  /// Adds the last layout to the table, or to a larger one with all of them.
  private func publish(_ state: inout State) {
    guard let current else { return }
    if state.layouts.count * 2 < current.capacity {
      insert(state.layouts.count - 1, of: state, into: current)
      return
    }
    let larger = Table(capacity: current.capacity * 2)
    for index in state.layouts.indices { insert(index, of: state, into: larger) }
    // The old table stays: a reader may be in it.
    table.store(UInt(bitPattern: larger.header), ordering: .releasing)
  }

  private func insert(_ index: Int, of state: State, into table: Table) {
    let layout = Unmanaged.passUnretained(state.layouts[index]).toOpaque()
    table.insert(UInt(bitPattern: layout), for: state.keys[index])
  }
}
