import SQLCore
import Synchronization

extension Model {
  /// What is known of the type; read at the first use, found without a lock afterwards.
  ///
  /// Throws `ModelError` where the type cannot be a table.
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

  private final class Table: Sendable {
    let mask: Int
    // Written once in `init`; the atomics behind it are what changes.
    nonisolated(unsafe) let keys: UnsafeMutablePointer<Atomic<UInt>>
    nonisolated(unsafe) let values: UnsafeMutablePointer<Atomic<UInt>>

    init(capacity: Int) {
      mask = capacity - 1
      keys = .allocate(capacity: capacity)
      values = .allocate(capacity: capacity)
      for index in 0..<capacity {
        (keys + index).initialize(to: Atomic(0))
        (values + index).initialize(to: Atomic(0))
      }
    }

    @inline(__always)
    func find(_ key: UInt) -> ModelLayout? {
      var index = Self.hash(key) & mask
      while true {
        let found = keys[index].load(ordering: .acquiring)
        if found == key {
          let value = values[index].load(ordering: .acquiring)
          return UnsafeRawPointer(bitPattern: value).map {
            Unmanaged<ModelLayout>.fromOpaque($0).takeUnretainedValue()
          }
        }
        if found == 0 { return nil }
        index = (index &+ 1) & mask
      }
    }

    func insert(_ layout: UInt, for key: UInt) {
      var index = Self.hash(key) & mask
      while keys[index].load(ordering: .relaxed) != 0 { index = (index &+ 1) & mask }
      values[index].store(layout, ordering: .releasing)
      keys[index].store(key, ordering: .releasing)
    }

    private static func hash(_ key: UInt) -> Int {
      Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
  }

  private struct State {
    var layouts: [ModelLayout] = []
    var keys: [UInt] = []
    var nextNumber: UInt32 = 0
  }

  private let state = Lock(State())
  private let table: Atomic<UInt>

  private init() {
    table = Atomic(UInt(bitPattern: Unmanaged.passRetained(Table(capacity: 64)).toOpaque()))
  }

  private var current: Table? {
    UnsafeRawPointer(bitPattern: table.load(ordering: .acquiring)).map {
      Unmanaged<Table>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @inline(__always)
  func layout<M: Model>(of model: M.Type) throws -> ModelLayout {
    let key = UInt(bitPattern: unsafeBitCast(model, to: UnsafeRawPointer.self))
    if let found = current?.find(key) { return found }
    return try make(model, key: key)
  }

  /// The layout of that number, as a shape names it.
  package func layout(number: UInt32) -> ModelLayout? {
    state.withLock { $0.layouts.first { $0.number == number } }
  }

  private func make<M: Model>(_ model: M.Type, key: UInt) throws -> ModelLayout {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let made = try ModelLayout.make(of: model, number: number)
    return state.withLock { state in
      if let index = state.keys.firstIndex(of: key) { return state.layouts[index] }
      state.layouts.append(made)
      state.keys.append(key)
      publish(&state)
      return made
    }
  }

  /// Adds the last layout to the table, or to a larger one with all of them.
  private func publish(_ state: inout State) {
    guard let current else { return }
    if state.layouts.count * 2 <= current.mask {
      insert(state.layouts.count - 1, of: state, into: current)
      return
    }
    let larger = Table(capacity: (current.mask + 1) * 2)
    for index in state.layouts.indices { insert(index, of: state, into: larger) }
    // The old table stays: a reader may be in it.
    table.store(
      UInt(bitPattern: Unmanaged.passRetained(larger).toOpaque()), ordering: .releasing)
  }

  private func insert(_ index: Int, of state: State, into table: Table) {
    let layout = Unmanaged.passUnretained(state.layouts[index]).toOpaque()
    table.insert(UInt(bitPattern: layout), for: state.keys[index])
  }
}
