import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A watch that calls a closure when the database's file or its log is written to. The log is
/// created and deleted again and again, so the watch is on the folder.
///
/// Each commit of this process is a write as well. So after a report there is a pause, and the next
/// report stands for all writes during the pause. Otherwise each commit would wake threads of
/// Dispatch, which takes longer than the commit itself.
///
/// - SeeAlso: <https://man7.org/linux/man-pages/man7/inotify.7.html>
///
/// `@unchecked Sendable`: the source is created in `init`. Later it is only cancelled, which
/// Dispatch allows on any thread.
final class FolderWatch: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Whether the system reports writes to the files. If not, it reports only the creation and
  /// deletion of files.
  static var seesWriting: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// The shortest time between two reports. The file is not probed more often.
  private static let pause = DispatchTimeInterval.milliseconds(10)

  /// Begins to watch the folder of a file. Returns nil if the system does not allow this.
  init?(containing path: String, _ changed: @escaping @Sendable () -> Void) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    #if canImport(Darwin)
      // If a folder is watched, the system reports only the creation and deletion of its files. If
      // the file itself were watched, the system would also report writes to it. But such a watch
      // must open the file, and when the watch closes the file, the process loses all its locks on
      // the file.
      let descriptor = open(folder, O_EVTONLY)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .rename],
        queue: DispatchQueue.global())
      source.setEventHandler(handler: changed)
    #else
      let name = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      guard inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)) >= 0
      else {
        close(descriptor)
        return nil
      }
      let queue = DispatchQueue(label: "apus.folder-watch")
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        guard Self.readEvents(of: descriptor, about: name) else { return }
        changed()
        // The system keeps the events until the queue resumes. A suspended queue must not be
        // released, so the closure keeps a reference to the queue.
        queue.suspend()
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { queue.resume() }
      }
    #endif
    source.setCancelHandler { close(descriptor) }
    source.resume()
    self.source = source
  }

  deinit {
    source.cancel()
  }

  #if !canImport(Darwin)
    /// Reads the reported events. Returns true if one of them is about a file whose name begins
    /// with `name`.
    private static func readEvents(of descriptor: Int32, about name: String) -> Bool {
      let name = Array(name.utf8)
      var isConcerned = false
      return withUnsafeTemporaryAllocation(
        byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment
      ) { buffer in
        while true {
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          guard count > 0 else { return isConcerned }
          var position = 0
          while position + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
            let start = position + MemoryLayout<inotify_event>.size
            let end = min(start + Int(event.len), count)
            // An overflow event has no name, because it may be about any file.
            let delivered = UnsafeRawBufferPointer(
              rebasing: UnsafeRawBufferPointer(buffer)[start..<end])
            if event.len == 0 || delivered.starts(with: name) { isConcerned = true }
            position = end
          }
        }
      }
    }
  #endif
}
