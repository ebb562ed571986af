private var engine: any RemoteEngine { unavailable() }
