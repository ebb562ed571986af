import SQLCore

/// An insert, an update or a deletion with parameters that returns the rows that it wrote.
///
/// ```swift
/// let take = try db.prepare { (id: SQLParameter<Job.ID>) in
///   Job.update { $0.$state = .taken }.where { $0.$id == id }.returning()
/// }
/// let job = try db.first(take(id))
/// ```
public struct PreparedReturning<Row: Sendable, each Parameter: QueryParameter>: Sendable {
  let form: PreparedForm
  let place: CommandPlace
  let decoding: RowDecoding<Row>

  /// Returns the command with its arguments, for `fetch` and `first`.
  public func callAsFunction(
    _ argument: repeat (each Parameter).Argument
  ) -> Returning<some Runnable, Row> {
    var places = ParameterPlaces()
    repeat places.take((each Parameter).self, each argument)
    let run = PreparedRun(form: form, place: place, arguments: places.arguments)
    return Returning<PreparedRun, Row>(source: .prepared(run), decoding: decoding)
  }
}
