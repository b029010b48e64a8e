// Numbers in classes: about as many features in each, round numbers between them, and a colour from pale to strong.

import { OTHER } from './map-colors.js'

const CLASSES = 5
// As many values the service counts one by one; of more it tells the mean.
const MOST_VALUES = 100
const BINS = 200
// The most histograms that are asked for to find where classes end.
const MOST_LOOKS = 4
// How far a class may be from its share so that its end is round.
const SLACK = 0.25
const WORLD = { bbox: [-180, -90, 180, 90], zoom: 0, cellSize: 2048, marginFactor: 0, properties: 'none' }
// The colours of so many classes, out of those of the ramp.
const STEPS = [[], [3], [2, 4], [1, 3, 5], [1, 2, 4, 5], [1, 2, 3, 4, 5]]

/** The classes of a property of numbers, over all features of a collection; null if none has it. */
export async function rangesOf(collection, property, isWhole, signal) {
  const { annotations: [all] } = await collection.clusters({ ...WORLD, countBy: property, fields: ['counts', 'otherCount'] }, { signal })
  const values = Object.entries(all?.counts ?? {}).map(([key, count]) => ({ from: Number(key), to: Number(key), count }))
  const numbers = values.filter(({ from }) => Number.isFinite(from)).sort((a, b) => a.from - b.from)
  if (!numbers.length) return null
  const areFew = !all.otherCount && values.length <= MOST_VALUES
  return new Ranges(ends(areFew ? numbers : await survey(collection, property, isWhole, signal), isWhole), { isWhole, areFew })
}

// How many features have numbers from where to where, closely where there are many.
async function survey(collection, property, isWhole, signal) {
  const look = async range => {
    const whole = isWhole && range && range[1] - range[0] <= BINS && { bins: Math.ceil(range[1] - range[0]) }
    const histogram = { property, bins: BINS, ...(range && { range }), ...whole }
    const { from, to, counts } = (await collection.clusters({ ...WORLD, fields: ['count'], histogram }, { signal })).histogram
    const edge = i => from + (to - from) * i / counts.length
    return counts.map((count, i) => ({ from: edge(i), to: edge(i + 1), count })).filter(({ count }) => count)
  }
  const bins = await look()
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  for (let looks = 1; looks < MOST_LOOKS; looks++) {
    const largest = bins.reduce((a, b) => (b.count > a.count ? b : a))
    const [least, most] = isWhole ? [Math.floor(largest.from), Math.ceil(largest.to)] : [largest.from, largest.to]
    if (largest.count < total / CLASSES / 4 || most - least <= (isWhole ? 1 : 1e-9 * Math.abs(most))) break
    bins.splice(bins.indexOf(largest), 1, ...await look([least, most]))
  }
  return bins
}

/** Where classes end: each takes its share of what is left, as nearly as a round number allows. */
export function ends(bins, isWhole, classes = CLASSES) {
  const found = []
  let rest = bins.reduce((sum, { count }) => sum + count, 0)
  let first = 0
  while (found.length < classes - 1 && first < bins.length - 1) {
    const share = rest / (classes - found.length)
    // The class ends behind bin `best`; so it may behind `near` to `far`.
    let [sum, best, near, far, error] = [0, first, undefined, undefined, Infinity]
    for (let i = first; i < bins.length - 1; i++) {
      sum += bins[i].count
      if (Math.abs(sum - share) < error) [best, error] = [i, Math.abs(sum - share)]
      if (sum >= share * (1 - SLACK)) near ??= i
      if (sum <= share * (1 + SLACK)) far = i
      else break
    }
    const [low, high] = near <= far ? [near, far] : [best, best]
    const end = roundest(middle(bins[low]), middle(bins[high + 1]), bins[best + 1].from, isWhole)
    found.push(end)
    for (; first < bins.length && middle(bins[first]) < end; first++) rest -= bins[first].count
  }
  return found
}

const middle = ({ from, to }) => (from + to) / 2

/** The roundest number above one and up to another, and of equally round ones the nearest to what is wanted. */
export function roundest(above, to, wanted, isWhole) {
  if (above < 0 && to >= 0) return 0
  const largest = Math.ceil(Math.log10(Math.max(Math.abs(above), Math.abs(to), 1e-300)))
  for (let exponent = largest; exponent >= (isWhole ? 0 : largest - 15); exponent--) {
    for (const factor of [1, 0.5, 0.2]) {
      const step = 10 ** exponent * factor
      if (isWhole && step < 1) continue
      const [least, most] = [Math.floor(above / step) + 1, Math.floor(to / step)]
      if (most >= least) return Number((Math.min(Math.max(Math.round(wanted / step), least), most) * step).toPrecision(15))
    }
  }
  return isWhole ? Math.ceil(to) : to
}

const format = new Intl.NumberFormat(undefined, { useGrouping: 'min2', maximumFractionDigits: 12 })
const short = new Intl.NumberFormat(undefined, { useGrouping: 'min2', maximumSignificantDigits: 5 })

/** A number as people read it: a year without a comma. */
export const written = number => (Number.isInteger(number) ? format : short).format(number)

/** Which colour stands for which number, in the manner of `Colors`. */
export class Ranges {
  #ends
  #isWhole
  // The range of the drawn values, which bounds the first and the last class.
  #least = Infinity
  #most = -Infinity

  /** Whether values are so few that the service counts each; else clusters have the colour of their mean. */
  areFew

  constructor(ends, { isWhole, areFew }) {
    this.#ends = ends
    this.#isWhole = isWhole
    this.areFew = areFew
  }

  /** How many values have a colour, which is known from the beginning. */
  get size() { return 0 }

  /** The colour of a value, given as the text of its JSON. */
  of(key) {
    const place = this.#classOf(key)
    return place === null ? OTHER : this.#color(place)
  }

  /** How many features on screen are in which class. */
  learn(annotations, keysOf) {
    const totals = new Map()
    for (const annotation of annotations) {
      for (const [key, count] of keysOf(annotation)) {
        const place = this.#classOf(key)
        totals.set(place, (totals.get(place) ?? 0) + count)
        if (place === null) continue
        this.#least = Math.min(this.#least, Number(key))
        this.#most = Math.max(this.#most, Number(key))
      }
    }
    return totals
  }

  /** The legend: all classes, from the lowest, with counts where they are known. */
  legend(totals) {
    const rows = Array.from({ length: this.#ends.length + 1 }, (_, place) => ({
      name: this.#name(place), color: this.#color(place), count: this.areFew ? totals.get(place) ?? 0 : undefined,
    }))
    return totals.has(null) ? [...rows, { name: 'no number', color: OTHER, count: this.areFew ? totals.get(null) : undefined }] : rows
  }

  /** The slices of a pie, from the lowest class. */
  pie(counts, otherCount = 0) {
    const slices = new Map()
    for (const [key, count] of Object.entries(counts)) {
      const place = this.#classOf(key) ?? Infinity
      slices.set(place, (slices.get(place) ?? 0) + count)
    }
    if (otherCount) slices.set(Infinity, (slices.get(Infinity) ?? 0) + otherCount)
    return [...slices].sort(([a], [b]) => a - b).map(([place, count]) => ({ color: place === Infinity ? OTHER : this.#color(place), count }))
  }

  #classOf(key) {
    const number = key === undefined || key === '' ? NaN : Number(key)
    return Number.isFinite(number) ? this.#ends.filter(end => number >= end).length : null
  }

  #color(place) { return `var(--ramp-${STEPS[this.#ends.length + 1][place]})` }

  #name(place) {
    // Of means not all values are known, which may lie below and above.
    const from = this.#ends[place - 1] ?? (this.areFew && this.#least < this.#ends[0] ? this.#least : undefined)
    const end = this.#ends[place]
    const last = end !== undefined ? end - 1 : this.areFew && this.#most >= from ? this.#most : undefined
    if (from === undefined && end === undefined) return this.areFew && this.#least === this.#most ? written(this.#least) : 'all numbers'
    if (from === undefined) return `under ${written(end)}`
    if (!this.#isWhole && end !== undefined) return `${written(from)} to under ${written(end)}`
    if (last === undefined) return `${written(from)} and more`
    return from === last ? written(from) : `${written(from)} – ${written(last)}`
  }
}
