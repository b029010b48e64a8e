/// What a property of a feature is. The bytes are lent: they hold only within the call that they
/// were passed to.
public enum PropertyValue {
  /// There is no such property, or it is JSON's null.
  case missing
  /// A boolean.
  case bool(Bool)
  /// A finite number.
  case number(Double)
  /// A string's UTF-8, unescaped.
  case string(UnsafeRawBufferPointer)
  /// The JSON text of an array or an object, without insignificant white space.
  case other(UnsafeRawBufferPointer)
}
