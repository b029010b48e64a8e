/// What was found out for a write before its turn is of no use any more. Nothing was changed.
struct Outdated: Error {}
