private let a: Database = unavailable()
private let b: Database = unavailable()
