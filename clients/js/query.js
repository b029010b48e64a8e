// How fields stand in a query: lists with commas, objects as JSON, what is null or undefined not at all.

// The longest query of a GET.
const LONGEST = 4000

// Objects that are lists of numbers in a query, in this order.
const RECTS = {
  visibleMapRect: rect => [rect.x, rect.y, rect.width, rect.height],
  region: ({ center, span }) => [center.latitude, center.longitude, span.latitudeDelta, span.longitudeDelta],
}

function textOf(name, value) {
  if (name in RECTS && !Array.isArray(value)) return RECTS[name](value).join(',')
  if (Array.isArray(value)) {
    const torn = value.find(hasComma)
    if (torn !== undefined) throw new TypeError(`${name} can't list "${torn}" in a query, which has commas between items`)
    return value.join(',')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The fields as a query. */
export function queryOf(fields = {}) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    if (name === 'filter' && typeof value === 'object') query.set('filter-lang', 'cql2-json')
    query.set(name, textOf(name, value))
  }
  return query.toString()
}

/** The query of a view that can be asked for with GET; undefined if it is too long, or has a list that would fall apart. */
export function shortQueryOf(fields) {
  if (fields.previous || Object.values(fields).some(isTorn)) return undefined
  const query = queryOf(fields)
  return query.length > LONGEST ? undefined : query
}

/** The fields of a view for a query, which can't list texts with commas: all properties come, and features of such ids aren't kept apart. */
export function listable(fields) {
  const { properties, keepApart } = fields
  const others = isTorn(keepApart) && keepApart.filter(id => !hasComma(id))
  return { ...fields, ...isTorn(properties) && { properties: '*' }, ...others && { keepApart: others.length ? others : undefined } }
}

/**
 * A view whose filter asks for the properties of these names, which most resources don't take. They mean the same as in a query of
 * `clusters`: the text, or the number or truth value that it may be written for.
 */
export function narrowed(view, names) {
  const asked = names.filter(name => (view[name] ?? null) !== null).map(name => [name, valuesOf(textOf(name, view[name]))])
  if (!asked.length) return view
  const { filter, 'filter-lang': language, ...rest } = view
  for (const name of names) delete rest[name]
  const isText = typeof filter === 'string'
  if (isText ? language === 'cql2-json' : filter) {
    return { ...rest, filter: { op: 'and', args: [isText ? JSON.parse(filter) : filter, ...asked.map(inJSON)] } }
  }
  const parts = [...isText ? [`(${filter})`] : [], ...asked.map(inText)]
  return { ...rest, filter: parts.join(' AND '), ...isText && language && { 'filter-lang': language } }
}

function valuesOf(text) {
  const number = /^[-\d]([-+.\deE]*\d)?$/.test(text) ? Number(text) : NaN
  return [text, ...Number.isFinite(number) ? [number] : [], ...['true', 'false'].includes(text) ? [text === 'true'] : []]
}

const inJSON = ([name, values]) => ({ op: 'in', args: [{ property: name }, values] })

function inText([name, values]) {
  const quoted = (text, quote) => quote + text.replaceAll(quote, quote + quote) + quote
  const [text] = values
  // A backslash may begin an escape, and can itself be escaped in a pattern alone.
  if (text.includes('\\')) return `${quoted(name, '"')} LIKE ${quoted(text.replace(/[\\%_]/g, '\\$&'), "'")}`
  return `${quoted(name, '"')} IN (${[quoted(text, "'"), ...values.slice(1)].join(', ')})`
}

const hasComma = item => typeof item === 'string' && item.includes(',')

const isTorn = value => Array.isArray(value) && value.some(hasComma)

/** A part of a path. An id of dots would be a step within the path: of the item `..`, its collection is what is left. */
export function partOf(id) {
  if (['', '.', '..'].includes(String(id))) throw new TypeError(`"${id}" can't be an id`)
  return encodeURIComponent(id)
}

/** The options that are given: undefined stands for what is usual. */
export function given(options) { return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) }

/** Changes fields; what is null or undefined is taken back. */
export function change(fields, changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) delete fields[name]
    else fields[name] = value
  }
}
