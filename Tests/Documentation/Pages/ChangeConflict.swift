private let history: History = unavailable()
