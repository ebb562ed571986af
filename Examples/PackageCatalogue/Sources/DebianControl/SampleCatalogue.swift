/// A small list of invented packages, for machines that have no dpkg.
public enum SampleCatalogue {
  /// The list as a control file.
  public static let text = """
    Package: base-tree
    Essential: yes
    Status: install ok installed
    Priority: required
    Section: admin
    Installed-Size: 412
    Maintainer: Base Team <base@example.org>
    Architecture: all
    Version: 14.2
    Homepage: https://example.org/base-tree
    Description: folders and accounts that every system begins with
     It lays out the file system and creates the accounts of the system's own
     services. Nothing else can be set up before it is.

    Package: libplume3
    Status: install ok installed
    Priority: required
    Section: libs
    Installed-Size: 1864
    Maintainer: Plume Developers <plume@example.org>
    Architecture: amd64
    Version: 3.8.1-2
    Pre-Depends: base-tree (>= 14)
    Homepage: https://example.org/plume
    Description: text layout library (shared objects)
     Plume breaks paragraphs into lines, from right to left where a script
     wants it so.
     .
     Programs that show text link to this package.

    Package: libnest1
    Status: install ok installed
    Priority: important
    Section: libs
    Installed-Size: 640
    Maintainer: Ana Ferreira <ana@example.org>
    Architecture: amd64
    Version: 1:1.4-1
    Depends: libplume3 (>= 3.6)
    Description: settings that programs share

    Package: quill
    Status: install ok installed
    Priority: optional
    Section: editors
    Installed-Size: 9216
    Maintainer: Plume Developers <plume@example.org>
    Architecture: amd64
    Version: 2.0.4-1
    Depends: libplume3 (>= 3.8), libnest1, quill-data (= 2.0.4-1)
    Recommends: spell-en | spell-any, quill-manual
    Homepage: https://example.org/quill
    Description: text editor that gets out of the way
     Quill opens large files at once and undoes without end.

    Package: quill-data
    Source: quill
    Status: install ok installed
    Priority: optional
    Section: editors
    Installed-Size: 20480
    Maintainer: Plume Developers <plume@example.org>
    Architecture: all
    Version: 2.0.4-1
    Description: text editor that gets out of the way (themes and icons)

    Package: quill-manual
    Source: quill
    Priority: optional
    Section: doc
    Installed-Size: 5300
    Maintainer: Plume Developers <plume@example.org>
    Architecture: all
    Version: 2.0.4-1
    Recommends: heron | web-browser
    Description: text editor that gets out of the way (manual)

    Package: spell-en
    Priority: optional
    Section: text
    Installed-Size: 1210
    Maintainer: Words Team <words@example.org>
    Architecture: all
    Version: 2025.11-1
    Depends: libnest1 (>= 1:1.0) | libnest0 (>= 0.9)
    Description: spelling dictionary, English

    Package: heron
    Status: install ok installed
    Priority: optional
    Section: web
    Installed-Size: 184320
    Maintainer: Jörg Müller <joerg@example.org>
    Architecture: amd64
    Version: 41.0+ds-3
    Depends: libplume3 (>= 3.8.1), libnest1 (>= 1:1.2), libwire5 (>= 5.1), base-tree
    Recommends: certificate-list
    Homepage: https://example.org/heron
    Description: web browser for small machines

    Package: libwire5
    Status: install ok installed
    Priority: optional
    Section: libs
    Installed-Size: 2890
    Maintainer: Network Team <network@example.org>
    Architecture: amd64
    Version: 5.1.9-4
    Depends: libnest1, certificate-list (>= 2024)
    Pre-Depends: base-tree (>= 14.1)
    Description: network protocols (shared objects)

    Package: certificate-list
    Status: install ok installed
    Priority: important
    Section: net
    Installed-Size: 388
    Maintainer: Network Team <network@example.org>
    Architecture: all
    Version: 2026.2
    Depends: base-tree, python-mini:any (>= 3.11)
    Description: certificates of authorities that are widely trusted

    Package: python-mini
    Status: deinstall ok config-files
    Priority: optional
    Section: interpreters
    Installed-Size: 11264
    Maintainer: Scripting Team <scripting@example.org>
    Architecture: amd64
    Version: 3.12.1-5
    Depends: libwire5 (>= 5.0), libwire5 (<< 6)
    Description: interpreter of a small Python

    Package: swift-chase
    Priority: optional
    Section: games
    Installed-Size: 73728
    Maintainer: 雨燕 Games <games@example.org>
    Architecture: amd64
    Version: 0.9~beta2-1
    Depends: libplume3, libnest1, libwire5 | libwire4 (>= 4.9)
    Recommends: heron
    Homepage: https://example.org/swift-chase
    Description: race over roofs 🐦 from dusk to dawn
     You never touch the ground. Bring friends.

    """
}
