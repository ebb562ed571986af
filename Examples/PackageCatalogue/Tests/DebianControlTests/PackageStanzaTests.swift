import DebianControl
import Testing

@Suite("Packages read from stanzas")
struct PackageStanzaTests {
  @Test("every field is read")
  func fields() throws {
    let package = try #require(
      try packages(
        """
        Package: quill
        Essential: yes
        Status: install ok installed
        Priority: optional
        Section: editors
        Installed-Size: 9216
        Maintainer: Ana <ana@example.org>
        Architecture: amd64
        Version: 1:2.0-1
        Depends: a
        Homepage: https://example.org/
        Description: a text editor
         that gets out of the way
         .
         and undoes
        """
      ).first
    )
    #expect(package.line == 1)
    #expect(package.name == "quill")
    #expect(package.isEssential)
    #expect(package.isInstalled)
    #expect(package.priority == "optional")
    #expect(package.section == "editors")
    #expect(package.installedSize == 9216)
    #expect(package.maintainer == "Ana <ana@example.org>")
    #expect(package.architecture == "amd64")
    #expect(package.version == "1:2.0-1")
    #expect(package.homepage == "https://example.org/")
    #expect(package.summary == "a text editor")
    #expect(package.description == "that gets out of the way\n\nand undoes")
    #expect(package.relations.map(\.name) == ["a"])
  }

  @Test("optional fields of a package have defaults")
  func defaults() throws {
    let text = "Package: a\nVersion: 1\nArchitecture: all\nHomepage:\nInstalled-Size: \n"
    let package = try #require(try packages(text).first)
    #expect(package.section == "unknown")
    #expect(package.priority == "unknown")
    #expect(package.maintainer == "unknown")
    #expect(package.installedSize == nil)
    #expect(package.homepage == nil)
    #expect(package.summary == "")
    #expect(package.description == "")
    #expect(!package.isEssential)
    #expect(!package.isInstalled)
    #expect(package.relations.isEmpty)
  }

  @Test("a package that was removed or never installed is not installed")
  func states() throws {
    let removed = try packages(
      "Package: a\nStatus: deinstall ok config-files\nVersion: 1\nArchitecture: all\n"
    )
    #expect(removed.map(\.isInstalled) == [false])
    let known = try packages("Package: a\nStatus: unknown ok not-installed\n")
    #expect(known.map(\.isInstalled) == [false])
    #expect(known.map(\.version) == [""])
  }

  @Test("every package has a name, a version and an architecture")
  func missing() {
    let complete = ["Package: a", "Version: 1", "Architecture: all"]
    for (index, name) in ["Package", "Version", "Architecture"].enumerated() {
      var lines = complete
      lines[index] = "Other: x"
      let found = failure { _ = try packages("\n\n" + lines.joined(separator: "\n")) }
      #expect(found == .malformed(line: 3, .missingField(name: name)))
      lines[index] = "\(name): "
      #expect(failure { _ = try packages(lines.joined(separator: "\n")) } != nil)
    }
  }

  @Test(
    "a value that its field cannot have is an error at its line",
    arguments: [
      "Installed-Size: -1", "Installed-Size: 12 KiB", "Installed-Size: 9223372036854775808",
      "Installed-Size: 9007199254740992", "Installed-Size: ٣", "Essential: perhaps",
      "Status: installed", "Status: a b c d",
    ]
  )
  func invalid(line: String) throws {
    let found = failure { _ = try packages("Package: a\nVersion: 1\nArchitecture: all\n\(line)\n") }
    let parts = line.split(separator: ": ").map(String.init)
    guard case .malformed(4, .invalidValue(parts[0], parts[1], _)) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test("the largest size is one whose bytes can be counted")
  func largestSize() throws {
    let text = "Package: a\nVersion: 1\nArchitecture: all\nInstalled-Size: 9007199254740991\n"
    #expect(try packages(text).map(\.installedSize) == [Int.max / 1024])
  }

  @Test(
    "a name is one word of letters, digits and signs",
    arguments: ["a b", "-a", "ä", "a\n b"]
  )
  func names(name: String) {
    let found = failure { _ = try packages("Package: \(name)\nVersion: 1\nArchitecture: all\n") }
    guard case .malformed(1, .invalidValue("Package", _, _)) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test("the sample is a catalogue of twelve different packages")
  func sample() throws {
    let all = try packages(SampleCatalogue.text)
    #expect(all.count == 12)
    #expect(Set(all.map(\.name)).count == 12)
    #expect(Set(all.map(\.section)).count > 5)
    #expect(all.count { $0.isEssential } == 1)
    #expect(Set(all.flatMap(\.relations).map(\.kind)).count == 3)
    #expect(all.flatMap(\.relations).contains { $0.alternative > 0 })
  }
}
