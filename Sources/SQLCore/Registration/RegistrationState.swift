/// The registrations of a database that a connection has installed.
struct RegistrationState {
  /// The sequence number of the last registration that this connection has.
  private(set) var sequence: UInt64 = 0
  /// The registrations of the database, if there are any.
  private(set) var source: ConnectionRegistrations?

  /// Notes that the connection has all registrations up to that number.
  mutating func didInstall(upTo sequence: UInt64) {
    self.sequence = sequence
  }

  /// Notes whose registrations the connection has.
  mutating func follow(_ source: ConnectionRegistrations) {
    self.source = source
  }
}
