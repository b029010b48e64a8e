// Completion in the filter: names of properties, and the frequent values of those that hold text.

import { beginning } from './map-search.js'
import { withoutAccents } from './map-texts.js'

const MOST = 8
const MOST_KEPT = 100
const WAIT = 150
const KEYWORDS = ['and', 'or', 'not', 'in', 'between', 'like', 'is', 'null', 'true', 'false']
const COMPARISONS = ['=', '<>', '<', '<=', '>', '>=', 'like']
const TOKEN = /\s+|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|[\p{L}_:][\p{L}\p{N}_:.]*|\d[\w.]*|<>|<=|>=|./gsuy

const isOpen = (text, quote) => text[0] === quote && !text.slice(1).replaceAll(quote + quote, '').endsWith(quote)
const isWord = text => /^[\p{L}_:]/u.test(text)
const isName = text => text[0] === '"' || (isWord(text) && !KEYWORDS.includes(text.toLowerCase()))
const unquoted = (text, quote) => text.replace(new RegExp(`^${quote}|${quote}$`, 'g'), '').replaceAll(quote + quote, quote)
const folded = text => withoutAccents(text).toLowerCase()
const keyOf = (property, prefix = '') => JSON.stringify([property, folded(prefix)])

/** A name as it stands in a filter. */
export const nameInFilter = name =>
  (/^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`)

/**
 * The name or value that may end the beginning of a filter: `{ prefix, start, property }`, where `start` is the place from which
 * it is replaced, and `property` the property of a value; undefined for a name. Null where neither fits.
 */
export function placeIn(text) {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: part, index }) => ({ part, index })).filter(({ part }) => part.trim())
  const last = tokens.at(-1)
  const isPart = last && last.index + last.part.length === text.length && (isWord(last.part) || isOpen(last.part, "'") || isOpen(last.part, '"'))
  const { part, index: start } = isPart ? tokens.pop() : { part: '', index: text.length }
  const before = tokens.map(({ part }) => part)
  const property = comparedBefore(before)
  if (part[0] === "'") return property === undefined ? null : { prefix: part.slice(1).replaceAll("''", "'"), start, property }
  if (part[0] === '"') return { prefix: part.slice(1).replaceAll('""', '"'), start, property: undefined }
  // After an operand comes an operator.
  const previous = before.at(-1)
  if (previous && (previous === ')' || isName(previous) || /^['\d]/.test(previous))) return null
  return { prefix: part, start, property }
}

// The property that the end is compared with.
function comparedBefore(tokens) {
  const at = place => tokens.at(place)?.toLowerCase()
  let place = -1
  if (at(place) === '(' || at(place) === ',') {
    while (at(place) && at(place) !== '(') place--
    place--
    if (at(place) !== 'in') return undefined
  } else if (!COMPARISONS.includes(at(place))) return undefined
  place--
  if (at(place) === 'not') place--
  const name = tokens.at(place)
  return name && isName(name) ? unquoted(name, '"') : undefined
}

/** A list below a field, from which arrows and Enter, or the pointer, choose. */
export class Completion {
  #parts
  #collection
  #types = new Map()
  #values = new Map()
  #items = []
  #chosen = -1
  #place
  #timer
  #task = new AbortController()

  /** @param parts `field`, a text area; `list`, for what can be chosen; `status`, where a screen reader hears of it */
  constructor(parts) {
    this.#parts = parts
    const { field, list } = parts
    field.addEventListener('input', () => this.#ask())
    field.addEventListener('keydown', event => this.#key(event))
    field.addEventListener('blur', () => this.close())
    // The field keeps the focus.
    list.addEventListener('pointerdown', event => event.preventDefault())
    list.addEventListener('click', event => {
      const item = event.target.closest('li')
      if (item) this.#take([...list.children].indexOf(item))
    })
  }

  /** Completes for a collection, by the JSON Schemas of its properties. */
  use(collection, schemas) {
    this.close()
    this.#collection = collection
    this.#types = new Map(Object.entries(schemas).filter(([name]) => name !== 'geometry').map(([name, { type }]) => [name, [type].flat()]))
    this.#values.clear()
  }

  close() {
    clearTimeout(this.#timer)
    this.#task.abort()
    this.#show([])
  }

  #ask(isWanted = false) {
    clearTimeout(this.#timer)
    this.#task.abort()
    const { signal } = (this.#task = new AbortController())
    const { field } = this.#parts
    const end = field.selectionStart
    const place = end === field.selectionEnd ? placeIn(field.value.slice(0, end)) : null
    this.#place = place
    if (!place) return this.#show([])
    if (place.property !== undefined && this.#types.get(place.property)?.includes('string')) {
      this.#timer = setTimeout(() => this.#suggest(place, signal), this.#values.has(keyOf(place.property)) ? 0 : WAIT)
      return
    }
    if (field.value[place.start] === "'" || (!place.prefix && !isWanted)) return this.#show([])
    const names = matching([...this.#types.keys()], place.prefix)
    this.#show(names.map(name => ({ text: name, note: this.#types.get(name).filter(type => type && type !== 'null').join(', '), insert: `${nameInFilter(name)} ` })))
  }

  async #suggest({ property, prefix }, signal) {
    try {
      const all = await this.#frequent(property, '', signal)
      let { counts } = all
      let values = matching(Object.keys(counts), prefix)
      if (!values.length && all.hasMore) {
        ({ counts } = await this.#frequent(property, prefix, signal))
        values = matching(Object.keys(counts), prefix)
      }
      if (signal.aborted) return
      this.#show(values.map(value => ({ text: value, note: counts[value].toLocaleString(), insert: `'${value.replaceAll("'", "''")}'` })))
    } catch {
      // Without completion the filter works as well.
      if (!signal.aborted) this.#show([])
    }
  }

  // The most frequent values of the collection, of those that begin in some way.
  async #frequent(property, prefix, signal) {
    const key = keyOf(property, prefix)
    const known = this.#values.get(key)
    if (known) return known
    const { annotations: [all] } = await this.#collection.clusters({
      bbox: [-180, -90, 180, 90], zoom: 0, cellSize: 2048, marginFactor: 0, properties: 'none', fields: ['counts', 'otherCount'],
      countBy: property, filter: prefix ? beginning(property, prefix) : `${nameInFilter(property)} IS NOT NULL`,
    }, { signal })
    const values = { counts: all?.counts ?? {}, hasMore: Boolean(all?.otherCount) }
    if (this.#values.size >= MOST_KEPT) this.#values.clear()
    this.#values.set(key, values)
    return values
  }

  #show(items) {
    const { field, list, status } = this.#parts
    const had = this.#items.length
    this.#items = items
    list.hidden = !items.length
    list.replaceChildren(...items.map(({ text, note }, place) => {
      const [item, name, small] = ['li', 'span', 'small'].map(tag => document.createElement(tag))
      Object.assign(item, { id: `${list.id}-${place}`, role: 'option' })
      name.textContent = text
      small.textContent = note ?? ''
      item.append(name, small)
      return item
    }))
    this.#choose(-1)
    if (items.length && items.length !== had) status.textContent = `${items.length} ${items.length === 1 ? 'suggestion' : 'suggestions'}`
    if (!items.length) field.removeAttribute('aria-activedescendant')
  }

  #choose(place) {
    const { field, list } = this.#parts
    this.#chosen = place
    ;[...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === place)))
    if (place >= 0) field.setAttribute('aria-activedescendant', list.children[place].id)
    else field.removeAttribute('aria-activedescendant')
  }

  #take(place) {
    const { field } = this.#parts
    const { insert } = this.#items[place]
    const end = field.selectionStart
    // A quote that closes what was begun is there already.
    const isClosed = insert.at(-1) === field.value[end] && field.value[end] === "'"
    field.setRangeText(insert, this.#place.start, end + (isClosed ? 1 : 0), 'end')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    this.close()
  }

  #key(event) {
    const count = this.#items.length
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown' && !count) {
      // Where there is a line below, the arrow goes there.
      const { field } = this.#parts
      if (field.value.includes('\n', field.selectionStart)) return
      this.#ask(true)
      if (!this.#items.length) return
    } else if (!count) return
    else if (event.key === 'ArrowDown') this.#choose((this.#chosen + 1) % count)
    else if (event.key === 'ArrowUp') this.#choose(this.#chosen < 0 ? count - 1 : this.#chosen - 1)
    else if (event.key === 'Enter' && this.#chosen >= 0) this.#take(this.#chosen)
    else if (event.key === 'Escape') this.close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
}

// Those that begin as is wanted, then those that have it elsewhere, of which there are many for one letter.
function matching(texts, wanted) {
  const part = folded(wanted)
  const all = texts.map(text => [text, folded(text).indexOf(part)]).filter(([text, at]) => (part.length > 1 ? at >= 0 : at === 0) && text !== wanted)
  return [...all.filter(([, at]) => at === 0), ...all.filter(([, at]) => at > 0)].slice(0, MOST).map(([text]) => text)
}
