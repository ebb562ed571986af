private let profile: Profile = unavailable()
