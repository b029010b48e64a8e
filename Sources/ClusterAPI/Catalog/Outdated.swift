/// The work done for a write before its turn is outdated. Nothing was changed.
struct Outdated: Error {}
