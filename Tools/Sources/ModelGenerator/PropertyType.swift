import Apus

/// The Swift type of a property, as far as it is known from the declaration and the values of its
/// column.
struct PropertyType: Equatable {
  /// The name of the type, without a question mark.
  var name: String
  var form = StoredForm.standard
  /// The remarks about guesses, with other types that would fit the values.
  var notes: [String] = []
  /// The reason why a model with this property would change the table; nil if it would not.
  var misfit: String?

  init(_ name: String, form: StoredForm = .standard, notes: [String] = []) {
    self.name = name
    self.form = form
    self.notes = notes
  }

  func noted(_ note: String) -> PropertyType {
    var type = self
    type.notes.append(note)
    return type
  }
}

/// A guess of the type for a column, from its declaration, its name and all its values.
struct TypeGuess {
  let name: String
  let declaredType: String
  /// The stored form that a migration of Apus recorded for the column.
  let recordedForm: StoredForm?
  let survey: ColumnSurvey
  let isStrict: Bool
  /// Whether the column belongs to an ordinary table. The type of the property must then agree with
  /// the declaration of the column.
  let isOfTable: Bool
  /// Whether Core Data or SwiftData made the table. They store dates as seconds since 2001.
  let isOfCoreData: Bool

  private var declared: String { declaredType.lowercased() }
  private var declaredClass: StorageClass? { StorageClass(declaredType: declaredType) }

  var type: PropertyType {
    guard let storageClass else {
      return survey.count == 0 ? emptyType : mixedType
    }
    var type = type(of: storageClass)
    guard isOfTable else { return type }
    if let declaredClass, declaredClass != storageClass {
      type.misfit =
        "\(name) is declared \(declaredType) and holds \(storageClass.rawValue) values"
    } else if declaredClass == nil, storageClass == .text, !keepsTexts,
      !["Date", "UUID", "DateText"].contains(type.name)
    {
      type.misfit = numericMisfit
    }
    return type
  }

  /// The storage class of all values, or the declared storage class if the column has no values.
  /// Nil if no single class fits.
  private var storageClass: StorageClass? {
    guard !survey.hasBrokenText else { return nil }
    switch survey.classes {
    case []: return declaredClass
    // A Double can read integers as well as real numbers, if the integers are not too large.
    case [.integer, .real] where !survey.hasLargeInteger: return .real
    case let classes: return classes.count == 1 ? classes.first : nil
    }
  }

  private var mixedType: PropertyType {
    let classes = survey.classes.map(\.rawValue).sorted().joined(separator: ", ")
    var type = PropertyType("AnyValue")
    type.misfit =
      survey.hasBrokenText
      ? "\(name) holds text that is not UTF-8"
      : "\(name) holds values of several storage classes: \(classes)"
    return type
  }

  private func type(of storageClass: StorageClass) -> PropertyType {
    switch storageClass {
    case .integer: integerType
    case .real: realType
    case .text: textType
    case .blob: blobType
    case .null: PropertyType("AnyValue")
    }
  }

  // MARK: Columns without a value

  /// The type of a column that declares no storage class and has no value.
  private var emptyType: PropertyType {
    let note = "has no value yet; guessed from the declared type \(declaredType)"
    if isDeclared("bool") { return PropertyType("Bool") }
    if isDeclared("date") || isDeclared("time") {
      return PropertyType("Date", form: recordedForm ?? .datetimeSeconds).noted(note)
    }
    if isDeclared("uuid") || isDeclared("guid") {
      return PropertyType("UUID", form: recordedForm ?? .standard).noted(note)
    }
    if isDeclared("long") || isDeclared("serial") || isDeclared("unsigned") {
      return PropertyType("Int").noted(note)
    }
    if isOfTable, !keepsTexts, !isDeclared("str") { return PropertyType("Double").noted(note) }
    var type = PropertyType("String").noted("has no value and no declared type; guessed")
    if isOfTable, !keepsTexts { type.misfit = numericMisfit }
    return type
  }

  /// Whether the column stores a text unchanged, because it declares no type or the table is
  /// STRICT.
  private var keepsTexts: Bool { declaredType.isEmpty || isStrict }

  private var numericMisfit: String {
    "\(name) is declared \(declaredType), so SQLite would turn a text that looks like a number into "
      + "a number"
  }

  // MARK: Columns by class

  private var integerType: PropertyType {
    if let form = recordedForm { return PropertyType("Date", form: form) }
    let isZeroOrOne = survey.integers.map { (0...1).contains($0) } ?? true
    if isZeroOrOne, isDeclared("bool") || declared == "tinyint(1)" { return PropertyType("Bool") }
    if isZeroOrOne, survey.count > 0, isNamedLikeBool {
      return PropertyType("Bool").noted("all values are 0 or 1, and the name says so; or Int")
    }
    if let range = survey.integers, isLikeDate, let form = Self.dateForm(of: range) {
      return PropertyType("Date", form: form)
        .noted("all values are dates from 1980 to 2050 as .\(form); or Int")
    }
    return PropertyType("Int")
  }

  private var realType: PropertyType {
    if let form = recordedForm { return PropertyType("Date", form: form) }
    guard isLikeDate, survey.counts[.integer] == nil, let range = survey.reals else {
      return PropertyType("Double")
    }
    let form: StoredForm? =
      if range.isInside(1_000_000_000..<2_524_608_000) {
        .unixSeconds
      } else if range.isInside(2_444_239.5..<2_469_807.5) {
        .julianDay
      } else if isOfCoreData, range.isInside(31_536_000..<1_000_000_000) {
        .referenceSeconds
      } else {
        nil
      }
    guard let form else { return PropertyType("Double").noted("a date? no form fits all values") }
    guard survey.realForms.contains(form) else {
      return PropertyType("Double").noted(
        "all values are dates as .\(form), which Date would round")
    }
    return PropertyType("Date", form: form).noted("all values are dates as .\(form); or Double")
  }

  private var textType: PropertyType {
    if let form = recordedForm {
      return PropertyType([.standard, .uppercase].contains(form) ? "UUID" : "Date", form: form)
    }
    guard survey.count > 0 else { return PropertyType("String") }
    if let form = survey.uuidForms.first {
      let type = PropertyType("UUID", form: form)
      return isNamed("uuid") || isNamed("guid")
        ? type : type.noted("all values are UUIDs; or String")
    }
    if let form = survey.dateForms.first {
      let type = PropertyType("Date", form: form)
      return isDeclared("date") || isDeclared("time")
        ? type : type.noted("all values are dates as .\(form); or String")
    }
    if survey.isJSON {
      return PropertyType("String")
        .noted("all values are JSON; JSON<Value> reads them as a Codable type of yours")
    }
    if isOfTable, declaredClass == nil, !keepsTexts, survey.beginsWithDay {
      return PropertyType("DateText").noted("all values are dates that no form of Date writes")
    }
    if survey.isDay { return PropertyType("String").noted("all values are days, without a time") }
    if survey.isDecimal, isDeclared("dec") || isDeclared("num") {
      return PropertyType("String").noted("all values are numbers; Decimal reads them, too")
    }
    return PropertyType("String", notes: suggestedCases.map { [$0] } ?? [])
  }

  private var blobType: PropertyType {
    let isUUID = survey.count > 0 && survey.hasUUIDBytes
    if recordedForm == .bytes || isUUID && (isNamed("uuid") || isNamed("guid")) {
      return PropertyType("UUID", form: .bytes)
    }
    return PropertyType("Data", notes: isUUID ? ["all values have 16 bytes; UUID as .bytes?"] : [])
  }

  /// A note that declares an enumeration whose cases are the texts of the column. Nil unless the
  /// texts are few and occur often.
  private var suggestedCases: String? {
    guard let texts = survey.texts, (2...8).contains(texts.count),
      survey.count >= 4 * texts.count,
      texts.allSatisfy({ $0.first?.isLetter == true && $0.allSatisfy { $0.isLetter || $0 == "_" } })
    else { return nil }
    let cases = texts.sorted().map { text in
      let property = SwiftName.property(text)
      return property == text
        ? SwiftName.escaped(property) : "\(SwiftName.escaped(property)) = \(text.swiftLiteral)"
    }
    return "all values are among: enum …: String, ColumnValue { case "
      + cases.joined(separator: ", ") + " }"
  }

  // MARK: Names

  private func isDeclared(_ word: String) -> Bool { declared.contains(word) }
  private func isNamed(_ word: String) -> Bool {
    name.lowercased().contains(word) || isDeclared(word)
  }

  private var isNamedLikeBool: Bool {
    ["is_", "has_", "can_", "is", "has"].contains { prefix in
      guard name.hasPrefix(prefix), let next = name.dropFirst(prefix.count).first else {
        return false
      }
      return prefix.hasSuffix("_") || next.isUppercase
    }
  }

  private var isLikeDate: Bool {
    if ["date", "time", "created", "updated", "modified", "expires"].contains(where: isNamed) {
      return true
    }
    return name.hasSuffix("_at") || name.hasSuffix("At") || name.hasSuffix("_on")
  }

  /// Returns the form in which all numbers of the range are dates between 1980 and 2050; nil if
  /// there is no such form.
  private static func dateForm(of range: ClosedRange<Int64>) -> StoredForm? {
    let forms: [(form: StoredForm, unit: Int64)] = [
      (.unixEpoch, 1), (.unixMilliseconds, 1_000), (.standard, 1_000_000),
    ]
    return forms.first { _, unit in
      range.lowerBound >= 315_532_800 * unit && range.upperBound < 2_524_608_000 * unit
    }?.form
  }
}

extension ClosedRange<Double> {
  fileprivate func isInside(_ range: Range<Double>) -> Bool {
    range.contains(lowerBound) && range.contains(upperBound)
  }
}
