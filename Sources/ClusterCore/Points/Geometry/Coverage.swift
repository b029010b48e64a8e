/// Whether a region contains all, none or some of a node's points.
enum Coverage {
  case outside, inside, partial
}
