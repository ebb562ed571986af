private let day = Date()
