private let levels: CommonTable<Level> = unavailable()
