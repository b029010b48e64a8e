// FeatureStore
