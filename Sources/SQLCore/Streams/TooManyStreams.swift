/// An error that is thrown by the first row of a stream if all connections for streams are in use.
///
/// A stream holds a connection from its first row until it ends or its iterator is released. A new
/// stream does not wait for another, which might in turn be waiting for it, and it takes none of
/// the connections of `read`.
public struct TooManyStreams: Error, Hashable, Sendable, CustomStringConvertible {
  /// The maximum number of open streams: `Configuration.maximumReaders`.
  public let maximum: Int

  /// Makes the error.
  public init(maximum: Int) {
    self.maximum = maximum
  }

  /// The number of open streams, and the possible remedies.
  public var description: String {
    "\(maximum) streams of rows are open, which is the maximum; end one, drop its iterator, "
      + "or raise `Configuration.maximumReaders`"
  }
}
