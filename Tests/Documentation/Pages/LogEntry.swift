private let entry: LogEntry = unavailable()
