import SQLCore
import Synchronization

/// A statement that was rendered once: its shape, by which connections find it, its text, and its
/// bindings.
@usableFromInline
final class PreparedForm: Sendable {
  /// The value to bind to a parameter of the statement.
  private enum Place: BitwiseCopyable {
    /// An argument of the call, in the stored form that its place needs.
    case argument(Int, StoredForm)
    case integer(Int64)
    /// Any other value, which is in `bindings`.
    case other
  }

  /// The number by which connections find the statement that they have compiled.
  private let number: Int
  private let shape: [UInt8]
  private let text: String
  private let bindings: [BoundValue]
  private let places: [Place]

  private static let lastNumber = Atomic<Int>(ModelStatement.numbers.upperBound)

  init(_ statement: some Renderable) throws {
    let sql = try statement.rendered()
    text = sql.text
    bindings = sql.bindings
    places = bindings.map { binding in
      switch binding {
      case .argument(let argument) where argument.part == .value:
        .argument(argument.index, argument.form)
      case .value(.integer(let integer)): .integer(integer)
      default: .other
      }
    }
    // Without the first byte, which says that it is a shape and which `lendStatement` writes
    // itself.
    shape = try Array(statement.shape().dropFirst())
    number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Returns the SQL, with the arguments as its values.
  func sql(_ arguments: [_PreparedArgument]) throws -> SQL {
    SQL(text: text, bindings: try bindings.map { try Self.bound($0, arguments) })
  }

  /// Lends the statement with its values bound.
  @usableFromInline
  func lend(_ arguments: [_PreparedArgument], on core: ConnectionCore) throws -> StatementPointer {
    let statement = try lend(on: core)
    do {
      for index in places.indices {
        let parameter = Int32(truncatingIfNeeded: index &+ 1)
        switch places[index] {
        case .argument(let argument, let form):
          guard argument < arguments.count else { throw Self.foreignParameter }
          try arguments[argument].bind(as: form, to: statement, at: parameter, on: core)
        case .integer(let integer): try core.bind(integer, to: statement, at: parameter)
        case .other:
          statement.pointee.leavesValues = false
          try core.bind(
            try Self.bound(bindings[index], arguments), to: statement, at: parameter)
        }
      }
      return statement
    } catch {
      core.giveBack(statement)
      throw error
    }
  }

  /// Runs the statement and returns the only number of its result.
  func integer(_ arguments: [_PreparedArgument], on core: ConnectionCore) throws -> Int {
    let statement = try lend(arguments, on: core)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return 0 }
    return try StatementRow(statement: statement).get(Int.self, at: 0)
  }

  /// Compiles the statement on a connection, which caches it.
  func compile(on core: ConnectionCore) throws {
    core.giveBack(try lend(on: core))
  }

  private func lend(on core: ConnectionCore) throws -> StatementPointer {
    let statement = try core.lendStatement(
      number: number,
      shape: { key in key.append(contentsOf: shape) },
      sql: { text })
    statement.pointee.leavesValues = true
    return statement
  }

  private static var foreignParameter: QueryError {
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

/// Numbers the parameters of a closure while they are made, and collects the arguments of a call.
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
