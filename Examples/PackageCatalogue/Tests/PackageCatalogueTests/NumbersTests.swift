import Testing

@testable import PackageCatalogue

@Suite("Formatted numbers")
struct NumbersTests {
  @Test(
    "a comma separates each three digits",
    arguments: [
      (0, "0"), (999, "999"), (1_000, "1,000"), (63_666, "63,666"), (-1_234_567, "-1,234,567"),
    ])
  func grouped(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test("a count is followed by a singular or a plural")
  func counted() {
    #expect(1.counted("package") == "1 package")
    #expect(2_000.counted("dependency", "dependencies") == "2,000 dependencies")
  }
}
