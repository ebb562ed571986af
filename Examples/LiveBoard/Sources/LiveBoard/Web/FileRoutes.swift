import Foundation
import HTTPTypes
import Hummingbird

extension BoardServer {
  /// Adds the style sheet, the scripts and the icon, which are sent as they are.
  func addFiles(to router: Router<BoardContext>) {
    let scripts = ["board", "dialog", "drafts", "keys", "page", "sending", "view"]
    let files = scripts.map { ("\($0).js", "text/javascript; charset=utf-8") }
    for (name, type) in files + [
      ("board.css", "text/css; charset=utf-8"), ("icon.svg", "image/svg+xml"),
    ] {
      router.resource(
        RouterPath(name),
        [
          .get: { _, _ in
            let file = Bundle.module.url(forResource: "Public/\(name)", withExtension: nil)
            guard let file, let data = try? Data(contentsOf: file) else {
              throw Refusal(
                status: .notFound, code: "not-found", reason: "there is no file \(name)")
            }
            return Response(
              status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
              body: .init(byteBuffer: ByteBuffer(bytes: data)))
          }
        ])
    }
  }
}
