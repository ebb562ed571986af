/// Thrown by a stream of rows whose first row is asked for while as many others as there may be hold
/// their connections.
///
/// A stream holds a connection from its first row until it has ended or its iterator is dropped. It
/// does not wait for another stream, which might wait for this one; and it takes none of the
/// connections of `read`.
public struct TooManyStreams: Error, Hashable, Sendable, CustomStringConvertible {
  /// How many streams may be open: `Configuration.maximumReaders`.
  public let maximum: Int

  /// The error with the number of streams that may be open.
  public init(maximum: Int) {
    self.maximum = maximum
  }

  /// How many there are, and what to do.
  public var description: String {
    "\(maximum) streams of rows are open, and there may be no more; end one, drop its iterator, "
      + "or raise `Configuration.maximumReaders`"
  }
}
