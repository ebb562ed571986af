extension TableName { fileprivate static let profiles: TableName = "profiles" }
private let profile: Profile = unavailable()
