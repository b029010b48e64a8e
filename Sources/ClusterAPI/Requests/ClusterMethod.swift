/// How the features of a viewport are clustered.
enum ClusterMethod: String, CaseIterable {
  case grid, distance, collision
}
