import SQLCore
import Synchronization

/// A statement that was rendered once: its shape, its text, and its bindings. All connections use
/// the same template.
///
/// `@unchecked Sendable`: all properties are written during initialisation, and only read
/// afterwards.
@usableFromInline
final class PreparedTemplate: @unchecked Sendable {
  /// One use of an argument: the index of the argument among the arguments of a call, and the
  /// number of the statement's parameter to which the argument is bound.
  struct ArgumentPlace: BitwiseCopyable {
    let argument: Int
    let parameter: Int32
    /// The form in which the argument is stored.
    let form: StoredForm
  }

  /// A parameter of the statement that gets the same integer in each call, such as a fixed limit.
  private struct Constant: BitwiseCopyable {
    let parameter: Int32
    let value: Int64
  }

  /// The number by which a connection finds the statement in its cache. If the cache does not have
  /// the number yet, the connection looks for the shape instead.
  private let number: Int
  private let shape: [UInt8]
  private let text: String
  private let bindings: [BoundValue]
  /// The parameters of the statement that stand for exactly the value of an argument, in the order
  /// of the arguments. This list and `constants` are in unmanaged memory, because arrays would be
  /// retained and released at each call.
  let arguments: UnsafeMutableBufferPointer<ArgumentPlace>
  private let constants: UnsafeMutableBufferPointer<Constant>
  /// The numbers of all other parameters of the statement. They stand, for example, for lists, for
  /// limits that are arguments, and for constants that are not integers. `bindings` has their
  /// values.
  private let others: ContiguousArray<Int32>

  private static let lastNumber = Atomic<Int>(ModelStatement.numbers.upperBound)

  init(_ statement: some Renderable) throws {
    let shape = try statement.shape()
    self.shape = shape.bytes
    text = try shape.text()
    bindings = shape.values
    var arguments: [ArgumentPlace] = []
    var constants: [Constant] = []
    var others: ContiguousArray<Int32> = []
    for (index, binding) in bindings.enumerated() {
      let parameter = Int32(truncatingIfNeeded: index + 1)
      switch binding {
      case .argument(let argument) where argument.part == .value:
        arguments.append(
          ArgumentPlace(argument: argument.index, parameter: parameter, form: argument.form))
      case .value(.integer(let integer)):
        constants.append(Constant(parameter: parameter, value: integer))
      default: others.append(parameter)
      }
    }
    arguments.sort { ($0.argument, $0.parameter) < ($1.argument, $1.parameter) }
    self.others = others
    number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    self.arguments = .copy(of: arguments)
    self.constants = .copy(of: constants)
  }

  deinit {
    arguments.deallocate()
    constants.deallocate()
  }

  /// Returns the SQL, with the arguments as its values.
  func sql(_ arguments: [_PreparedArgument]) throws -> SQL {
    SQL(text: text, bindings: try bindings.map { try Self.bound($0, arguments) })
  }

  /// Returns the statement with its values bound. The caller must return the statement with
  /// `giveBack`.
  func lend(_ arguments: [_PreparedArgument], on core: ConnectionCore) throws -> StatementPointer {
    defer {
      withExtendedLifetime(self) {}
      withExtendedLifetime(core) {}
    }
    var binder = try _ArgumentBinder(of: self, on: core)
    do {
      for argument in arguments { try argument.bind(to: &binder) }
      return try binder.finish { arguments }
    } catch {
      binder.abandon()
      throw error
    }
  }

  /// Compiles the statement on a connection, which caches it.
  func compile(on core: ConnectionCore) throws {
    core.giveBack(try lend(on: core))
  }

  /// Returns the statement without values. The caller must return the statement with `giveBack`.
  private func lend(on core: ConnectionCore) throws -> StatementPointer {
    let statement = try core.lendStatement(
      number: number,
      // The first byte of a shape is left out here. It marks the key of the statement cache as a
      // shape, and `lendStatement` itself writes it.
      shape: { key in key.append(contentsOf: shape.dropFirst()) },
      sql: { try shape.withUnsafeBytes { try ShapeText(of: $0, on: core).text } })
    statement.pointee.leavesValues = true
    return statement
  }

  /// Returns the statement after binding the integers that are the same in all calls. The caller
  /// must return the statement with `giveBack`.
  func lendWithConstants(on core: ConnectionCore) throws -> StatementPointer {
    let statement = try lend(on: core)
    do {
      for constant in constants {
        try core.bind(constant.value, to: statement, at: constant.parameter)
      }
      return statement
    } catch {
      core.giveBack(statement)
      throw error
    }
  }

  /// Binds the parameters in `others`, such as lists.
  @inline(__always)
  func bindOthers(
    to statement: StatementPointer, on core: ConnectionCore, _ arguments: () -> [_PreparedArgument]
  ) throws {
    guard !others.isEmpty else { return }
    try bindOthers(to: statement, on: core, arguments())
  }

  @inline(never)
  private func bindOthers(
    to statement: StatementPointer, on core: ConnectionCore, _ arguments: [_PreparedArgument]
  ) throws {
    statement.pointee.leavesValues = false
    for parameter in others {
      try core.bind(
        try Self.bound(bindings[Int(parameter) - 1], arguments), to: statement, at: parameter)
    }
  }

  static var foreignParameter: QueryError {
    QueryError("this prepared query uses a parameter of another prepared query")
  }

  private static func bound(
    _ binding: BoundValue, _ arguments: [_PreparedArgument]
  ) throws -> BoundValue {
    guard case .argument(let argument) = binding else { return binding }
    guard arguments.indices.contains(argument.index) else { throw foreignParameter }
    return try arguments[argument.index].bound(argument)
  }
}

extension UnsafeMutableBufferPointer where Element: BitwiseCopyable {
  /// Returns newly allocated memory with the elements of an array.
  fileprivate static func copy(of elements: [Element]) -> Self {
    let memory = Self.allocate(capacity: elements.count)
    _ = memory.initialize(fromContentsOf: elements)
    return memory
  }
}

/// A counter that makes the parameters for the closure of `prepare`, with the numbers 0, 1, 2 and
/// so on. For a call, it collects the arguments in the same order.
struct ParameterPlaces {
  private(set) var index = -1
  private(set) var arguments: [_PreparedArgument] = []

  /// Returns the next parameter.
  mutating func next<P: QueryParameter>(_: P.Type) -> P {
    index += 1
    return P(_place: _ParameterPlace(index: index, argument: []))
  }

  /// Returns the next parameter with its argument's value.
  mutating func next<P: QueryParameter>(_: P.Type, from arguments: [_PreparedArgument]) -> P {
    index += 1
    let argument = arguments.indices.contains(index) ? P._unwrapped(arguments[index]) : nil
    return P(_place: _ParameterPlace(index: index, argument: argument.map { [$0] } ?? []))
  }

  /// Appends the argument of the next parameter.
  mutating func take<P: QueryParameter>(_: P.Type, _ argument: P.Argument) {
    if arguments.isEmpty { arguments.reserveCapacity(4) }
    arguments.append(P._wrapped(argument))
  }
}
