// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of Apple's SwiftUI that examples uses; see MapKit.swift.
@_exported import UIKit

@MainActor @preconcurrency public protocol View {}

public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
  public let coordinator: Representable.Coordinator
}

@MainActor @preconcurrency public protocol UIViewRepresentable: View {
  associatedtype UIViewType: UIView
  associatedtype Coordinator = Void
  typealias Context = UIViewRepresentableContext<Self>
  func makeCoordinator() -> Coordinator
  func makeUIView(context: Context) -> UIViewType
  func updateUIView(_ uiView: UIViewType, context: Context)
}
