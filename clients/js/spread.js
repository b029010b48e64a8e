// Where the features of one place stand around it, in screen points.

// Fewer stand on a circle, more on a spiral.
const MOST_ON_CIRCLE = 9
const GOLDEN_ANGLE = 137.50776405 * Math.PI / 180

/** The offsets of so many pins from their place, in the figure of `pinLayout`; without, in the one that fits. */
export function spread(count, layout = count <= MOST_ON_CIRCLE ? 'circle' : 'spiral', spacing = 34) {
  if (layout === 'circle') {
    const radius = Math.max(spacing * 1.1, count * spacing / (2 * Math.PI))
    return Array.from({ length: count }, (_, i) => polar(radius, 2 * Math.PI * i / count))
  }
  // The centre stays free for the place itself.
  return Array.from({ length: count }, (_, i) => polar(spacing * 0.9 * Math.sqrt(i + 1.5), i * GOLDEN_ANGLE))
}

// Bearings run clockwise from north.
function polar(radius, bearing) { return [radius * Math.sin(bearing), -radius * Math.cos(bearing)] }
