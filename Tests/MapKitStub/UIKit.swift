// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of Apple's UIKit that clients/swift uses; see MapKit.swift.
@_exported import Foundation

@MainActor open class UIView: NSObject {
  open var alpha: CGFloat = 1
  open var bounds = CGRect.zero
  public override init() {}
  public init(frame: CGRect) {}
  open func addSubview(_ view: UIView) {}
  public class func animate(
    withDuration duration: TimeInterval, animations: @escaping () -> Void,
    completion: ((Bool) -> Void)? = nil
  ) {}
}

@MainActor open class UILabel: UIView {
  open var text: String?
  open var numberOfLines = 1
  open var backgroundColor: UIColor?
}

public final class UIColor: NSObject, Sendable {
  public static let systemBackground = UIColor()
}
