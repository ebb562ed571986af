nonisolated(unsafe) private var app: Application<RouterResponder<BasicRequestContext>> =
  unavailable()
private let persist: DatabasePersistDriver = unavailable()
private let address = ""
