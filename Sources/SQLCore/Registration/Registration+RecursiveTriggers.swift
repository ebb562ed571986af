extension Registration {
  /// Switches `recursive_triggers` on for the connections that may write.
  ///
  /// Without it, SQLite fires no delete triggers for the rows that REPLACE removes. A
  /// full-text index that is kept by triggers would still have these rows, and the change log would
  /// lack them.
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_recursive_triggers>
  package static let recursiveTriggers = Registration(
    Key(kind: .setting, name: "recursive_triggers")
  ) { core in
    if !core.isReader { try core.run(pragma: "PRAGMA recursive_triggers = ON") }
  }
}
