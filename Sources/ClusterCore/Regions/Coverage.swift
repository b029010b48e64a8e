/// How much of a node's points a region holds.
enum Coverage {
  case outside, inside, partial
}
