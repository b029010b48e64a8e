/// The seconds that some work took: elapsed, and of processor time on all threads.
struct Took {
  var wall: Double
  var busy: Double
}
