import SwiftUI
private struct ContentView: View {
  var body: some View { EmptyView() }
}
