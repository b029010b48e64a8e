// Which pins show their titles: those whose titles are in nobody's way.

// Widths are guessed, as to measure each would take longer than to draw it.
const [HEIGHT, CHARACTER, WIDE_CHARACTER, WIDEST, BELOW] = [16, 6.8, 12.5, 168, 11]
// Characters of Chinese, Japanese and Korean, and pictures.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60]|\p{Extended_Pictographic}/gu

/**
 * Gives as many pins of a layer as possible their labels, and takes those of others. Returns `boxes`, those that markers and labels
 * take in the map's layer points, and `titles`, the texts of the labels.
 */
export function labels(map, layer, areTitled) {
  const scale = textScale()
  const all = layer.annotations().map(annotation => ({ annotation, ...map.latLngToLayerPoint(layer.latLngOf(annotation)) }))
  const taken = all.map(({ annotation, x, y }) => {
    const half = annotation.count > 1 ? layer.sizeOf(annotation) / 2 : 9
    return [x - half, y - half, x + half, y + half]
  })
  const titles = new Set()
  if (areTitled) for (const [own, { annotation, x, y }] of all.entries()) {
    if (annotation.count > 1 || !annotation.feature) continue
    const half = widthOf(annotation.title) * scale / 2
    const label = [x - half, y + BELOW, x + half, y + BELOW + HEIGHT * scale]
    const isFree = taken.every((other, place) => place === own || !meet(label, other))
    if (isFree) {
      taken.push(label)
      titles.add(annotation.title)
    }
    layer.element(annotation.id)?.classList.toggle('pincluster-labelled', isFree)
  }
  return { boxes: taken, titles }
}

/** The property that holds names, by its own name: `name`, `TITLE`, `stop_name` and the like; '' if there is none. */
export function usualTitles(names, schemas) {
  const texts = names.filter(name => [schemas[name].type ?? 'string'].flat().includes('string'))
  const find = (usual, among) => among.find(name => usual.test(name))
  return find(/^name$/i, names) ?? find(/^title$/i, names) ?? find(/^label$/i, names) ?? find(/[\s_.:-](name|title|label)$/i, texts) ?? ''
}

/** How much larger texts are than usual, by what the reader has set. */
export const textScale = () => Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / 16)

function widthOf(title) {
  const wide = title.match(WIDE)?.length ?? 0
  return Math.min((title.length - wide) * CHARACTER + wide * WIDE_CHARACTER, WIDEST)
}

/** Whether two boxes have a part in common. */
export function meet([west, north, east, south], [left, top, right, bottom]) {
  return west < right && left < east && north < bottom && top < south
}
