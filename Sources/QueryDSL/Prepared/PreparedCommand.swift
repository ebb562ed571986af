import SQLCore

/// An insert, an update or a deletion with parameters that was rendered once. Calling it returns
/// the command with its arguments.
///
/// ```swift
/// let read = try db.prepare { (id: SQLParameter<Post.ID>) in
///   Post.update { $0.$views += 1 }.where { $0.$id == id }
/// }
/// try db.run(read(id))
/// ```
public struct PreparedCommand<each Parameter: QueryParameter>: Sendable {
  let form: PreparedForm
  let place: CommandPlace

  /// Returns the command with its arguments, for `run`.
  public func callAsFunction(_ argument: repeat (each Parameter).Argument) -> some Runnable {
    var places = ParameterPlaces()
    repeat places.take((each Parameter).self, each argument)
    return PreparedRun(form: form, place: place, arguments: places.arguments)
  }
}
