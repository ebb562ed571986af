private let cursor: LogCursor = unavailable()
