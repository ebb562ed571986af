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
  /// Watching begins when a subscriber attaches. Elements wait until they are demanded, like those
  /// of `changes(of:columns:keys:)`; no writer waits for the demand. They arrive on `scheduler`,
  /// the main queue by default. The publisher completes when the database is closed.
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
  /// It is like `changesPublisher(of:columns:keys:on:)`; `changes(of:where:)` says which predicates
  /// cannot be evaluated.
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
  /// It is like `changesPublisher(of:columns:keys:on:)`, for every table of the database.
  public func changesPublisher(
    on scheduler: some Scheduler = DispatchQueue.main
  ) -> AnyPublisher<DatabaseChanges, Never> {
    PulledPublisher { self.changes() }
      .receive(on: scheduler).eraseToAnyPublisher()
  }
}
