// The layers of maplibre.js as a style has them, and the images of their counts.

// The first version of MapLibre that draws text without glyphs.
const FIRST_WITH_FONTS = 5.11

let isGlyphsTold = false

/** The layers of an id on a map. `from` is where clusters and pins are: `source`, and `source-layer` in tiles. */
export function layersOf(id, from, options, map) {
  const isHovered = ['boolean', ['feature-state', 'hover'], false]
  const circle = radius => ({
    'circle-color': options.color, 'circle-radius': radius, 'circle-stroke-color': '#fff',
    'circle-stroke-width': ['case', isHovered, 4, 2],
  })
  // The diameter of a circle in the other clients, 26 + 8·log10(count).
  const size = ['+', 13, ['*', 4, ['log10', ['to-number', ['get', 'point_count']]]]]
  const isCluster = ['==', ['get', 'cluster'], true]
  const layers = [
    { id: `${id}-legs`, type: 'line', source: `${id}-spread`, paint: { 'line-color': options.color, 'line-width': 1.5 } },
    { id: `${id}-pins`, type: 'circle', ...from, filter: ['!', isCluster], paint: circle(7) },
    { id: `${id}-clusters`, type: 'circle', ...from, filter: isCluster, paint: circle(size) },
    { id: `${id}-spread-pins`, type: 'circle', source: `${id}-spread`, filter: ['==', ['geometry-type'], 'Point'], paint: circle(7) },
  ]
  // As images, for which a style needs neither glyphs nor a certain font.
  if (options.text) {
    layers.push({
      id: `${id}-counts`, type: 'symbol', ...from, filter: isCluster, paint: {},
      layout: { 'icon-image': ['concat', countName(id), ['to-string', ['get', 'point_count_abbreviated']]], 'icon-allow-overlap': true, 'text-allow-overlap': true },
    })
  }
  return layers.map(layer => changed(layer, options.layers?.[layer.id.slice(id.length + 1)], () => hasFonts(map, options.maplibre)))
}

// A layer with what the option `layers` has for it.
function changed(layer, { paint, layout, filter, ...rest } = {}, hasFonts) {
  const hasText = layout?.['text-field'] !== undefined
  if (hasText && !hasFonts()) {
    if (layer.layout) return layer
  } else if (hasText && layer.layout) delete layer.layout['icon-image']
  const isOther = rest.type && rest.type !== layer.type
  return {
    ...layer, ...rest, paint: { ...(isOther ? {} : layer.paint), ...paint }, layout: { ...layer.layout, ...layout },
    ...(layer.filter && { filter: filter ? ['all', layer.filter, filter] : layer.filter }),
  }
}

// Whether MapLibre can draw text; says it once if it can't.
function hasFonts(map, maplibre) {
  const version = maplibre?.getVersion?.().split('.') ?? []
  const [major = 0, minor = 0] = version.map(Number)
  if (map.getStyle().glyphs || major + minor / 100 >= FIRST_WITH_FONTS) return true
  if (!isGlyphsTold) {
    console.warn('pincluster: the style of the map has no "glyphs", without which MapLibre before 5.11 draws no text. Counts are drawn as images. ' +
      'For text, give the style "glyphs": https://maplibre.org/maplibre-style-spec/glyphs/')
  }
  isGlyphsTold = true
  return false
}

const countName = id => `${id} count `

/** The count that an image of a map shows; null if it isn't one of these layers'. */
export function countOf(id, image) { return image.startsWith(countName(id)) ? image.slice(countName(id).length) : null }

/** Draws a count: its image and its options, as a map adds it. */
export function countImage(count, color) {
  const pixelRatio = Math.max(2, Math.ceil(globalThis.devicePixelRatio ?? 1))
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const font = `600 ${12 * pixelRatio}px system-ui, sans-serif`
  context.font = font
  const [width, height] = [Math.ceil(context.measureText(count).width) + 2, 16 * pixelRatio]
  Object.assign(context.canvas, { width, height })
  Object.assign(context, { font, fillStyle: color, textAlign: 'center', textBaseline: 'middle' })
  context.fillText(count, width / 2, height / 2 + pixelRatio / 2)
  return [context.getImageData(0, 0, width, height), { pixelRatio }]
}
