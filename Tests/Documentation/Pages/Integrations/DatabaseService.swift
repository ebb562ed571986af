import Logging
private let server: any Service = unavailable()
private let logger = Logger(label: "blog")
