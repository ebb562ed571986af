private let id: Int64 = 0
