// Which pins show their titles: those whose titles are in nobody's way.

// Widths are guessed, as to measure each would take longer than to draw it.
const [HEIGHT, CHARACTER, WIDEST, BELOW] = [16, 6.8, 168, 11]

/** Gives as many pins of a layer as possible their labels, and takes those of others. */
export function labels(map, layer) {
  const all = layer.annotations().map(annotation => ({ annotation, ...map.latLngToLayerPoint(layer.latLngOf(annotation)) }))
  const taken = all.map(({ annotation, x, y }) => {
    const half = annotation.count > 1 ? layer.sizeOf(annotation) / 2 : 9
    return [x - half, y - half, x + half, y + half]
  })
  for (const [own, { annotation, x, y }] of all.entries()) {
    if (annotation.count > 1 || !annotation.feature) continue
    const half = Math.min(annotation.title.length * CHARACTER, WIDEST) / 2
    const label = [x - half, y + BELOW, x + half, y + BELOW + HEIGHT]
    const isFree = taken.every((other, place) => place === own || !meet(label, other))
    if (isFree) taken.push(label)
    layer.element(annotation.id)?.classList.toggle('pincluster-labelled', isFree)
  }
}

function meet([west, north, east, south], [left, top, right, bottom]) {
  return west < right && left < east && north < bottom && top < south
}
