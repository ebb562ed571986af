private func log(_ sql: String?, _ duration: Duration?) {}
