nonisolated(unsafe) private let router = Router()
private let logger = Logger(label: "blog")
