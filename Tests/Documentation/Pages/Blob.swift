private let size = 0
private let header = Data()
