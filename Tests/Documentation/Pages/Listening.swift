private let isFrozen = false
private struct Frozen: Error {}
