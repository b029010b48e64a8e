// Colours of values. They are in map.css, for light and dark: a count is legible on each, and neighbours differ for the
// colour-blind, too.

const PALETTE = Array.from({ length: 8 }, (_, i) => `var(--color-${i + 1})`)

/** The colour of all other values. */
export const OTHER = 'var(--color-other)'

/** The text of a property's value. */
export const keyOf = value => (value === null || value === undefined ? 'null' : typeof value === 'string' ? value : JSON.stringify(value))

/** Which colour stands for which value of a property. A value keeps its colour while the property stays. */
export class Colors {
  #keys = new Map()

  /** How many values have a colour. */
  get size() { return this.#keys.size }

  /** Forgets all values. */
  clear() { this.#keys.clear() }

  /** The colour of a value. */
  of(key) { return this.#keys.get(key) ?? OTHER }

  /** How many features on screen have which value; the most frequent get the colours that are left. */
  learn(annotations, keysOf) {
    const totals = new Map()
    for (const annotation of annotations) {
      for (const [key, count] of keysOf(annotation)) totals.set(key, (totals.get(key) ?? 0) + count)
    }
    const sorted = [...totals].sort((a, b) => b[1] - a[1])
    for (const [key] of sorted) {
      if (this.#keys.size >= PALETTE.length) break
      if (!this.#keys.has(key)) this.#keys.set(key, PALETTE[this.#keys.size])
    }
    return sorted
  }

  /** The legend: the coloured values that are on screen, and all others together. */
  legend(totals) {
    const own = totals.filter(([key]) => this.#keys.has(key))
    const others = totals.filter(([key]) => !this.#keys.has(key)).reduce((sum, [, count]) => sum + count, 0)
    const rows = own.map(([key, count]) => ({ name: key === 'null' ? 'no value' : key, count, color: this.of(key) }))
    return others ? [...rows, { name: 'others', count: others, color: OTHER }] : rows
  }

  /** The slices of a pie, equal colours together. */
  pie(counts, otherCount = 0) {
    const slices = new Map()
    for (const [key, count] of Object.entries(counts)) {
      const color = this.of(key)
      slices.set(color, (slices.get(color) ?? 0) + count)
    }
    if (otherCount) slices.set(OTHER, (slices.get(OTHER) ?? 0) + otherCount)
    return [...slices].map(([color, count]) => ({ color, count })).sort((a, b) => b.count - a.count)
  }
}

/** A row of the legend. */
export function legendItem({ name, count, color }) {
  const [item, dot, text, number] = ['li', 'i', 'span', 'small'].map(tag => document.createElement(tag))
  dot.style.background = color
  text.textContent = name
  text.title = name
  number.textContent = count === undefined ? '' : count.toLocaleString()
  item.append(dot, text, number)
  return item
}
