import Apus
import Dispatch

extension Database {
  /// Returns a publisher of the changes to a model's table: one element for each write, after its
  /// commit.
  ///
  /// ```swift
  /// db.changesPublisher(of: Post.self, columns: \.$title).sink { change in … }
  /// ```
  ///
  /// Watching begins when a subscriber attaches. As with `changes(of:columns:keys:)`, elements are
  /// kept until the subscriber demands them, and no writer waits for this. The elements are sent on
  /// `scheduler`, which is the main queue by default. The publisher completes when the database is
  /// closed.
  public func changesPublisher<M: Model, each Value: ColumnValue>(
    of model: M.Type, columns: repeat KeyPath<M, ColumnReference<each Value>>,
    keys: [M.ID]? = nil, on scheduler: some Scheduler = DispatchQueue.main
  ) -> AnyPublisher<ModelChanges<M>, Never> {
    let watched = (repeat each columns)
    return PulledPublisher {
      self.changes(of: model, columns: repeat each watched, keys: keys)
    }
    .receive(on: scheduler).eraseToAnyPublisher()
  }

  /// Returns a publisher of the changes to the rows of a model's table for which the predicates
  /// held before the write or hold after it.
  ///
  /// ```swift
  /// db.changesPublisher(of: Post.self) { $0.$status == .published }.sink { change in … }
  /// ```
  ///
  /// Otherwise, this works like `changesPublisher(of:columns:keys:on:)`. For predicates that cannot
  /// be evaluated, see `changes(of:where:)`.
  public func changesPublisher<M: Model>(
    of model: M.Type, on scheduler: some Scheduler = DispatchQueue.main,
    @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
  ) -> AnyPublisher<ModelChanges<M>, Never> {
    PulledPublisher { self.changes(of: model, where: predicates) }
      .receive(on: scheduler).eraseToAnyPublisher()
  }

  /// Returns a publisher of the changes to all tables: one element for each write, after its
  /// commit.
  ///
  /// Otherwise, this works like `changesPublisher(of:columns:keys:on:)`.
  public func changesPublisher(
    on scheduler: some Scheduler = DispatchQueue.main
  ) -> AnyPublisher<DatabaseChanges, Never> {
    PulledPublisher { self.changes() }
      .receive(on: scheduler).eraseToAnyPublisher()
  }
}
