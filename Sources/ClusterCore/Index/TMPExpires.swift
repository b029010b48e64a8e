extension FeatureRecord { var expires: Int64? { nil } }
