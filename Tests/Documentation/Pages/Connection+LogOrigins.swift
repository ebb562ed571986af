private let identity = ""
