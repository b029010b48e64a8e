import ClusterCore
import Collections
import GeoFormats

extension FeatureForm {
  /// The columns of a table: the properties that are asked for, in that order, else those of all features of the
  /// collection, so that pages have the same. The first call looks at all features then.
  ///
  /// - Throws: ``Problem`` 422 if the features have more properties than a table has columns.
  func tableColumns(of snapshot: CollectionSnapshot) throws(Problem) -> CSVWriter.Columns {
    if let columns { return CSVWriter.Columns(names: columns) }
    let survey = snapshot.surveys.survey(of: snapshot.index)
    guard survey.isComplete else {
      throw Problem(
        422, field: "properties", inBody: false,
        "the features have more properties than the \(PropertySurvey.mostProperties) that a table has columns for, or "
          + "longer names than \(PropertySurvey.longestName) bytes; properties names those that are wanted"
      )
    }
    return CSVWriter.Columns(names: survey.properties.map { Array($0.name.utf8) })
  }
}
