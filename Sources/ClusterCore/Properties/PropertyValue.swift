/// The value of a property. Its bytes are valid only as long as the function that provides it says.
public enum PropertyValue {
  /// No value or JSON null.
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
