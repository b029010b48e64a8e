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
  if (Array.isArray(value)) return value.join(',')
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

/** Whether fields can be asked for with GET. Names with commas would fall apart in a list. */
export function isShort(fields, query) {
  if (fields.previous || query.length > LONGEST) return false
  return !Object.values(fields).some(value =>
    Array.isArray(value) && value.some(item => typeof item === 'string' && item.includes(',')))
}

/** Changes fields; what is null or undefined is taken back. */
export function change(fields, changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) delete fields[name]
    else fields[name] = value
  }
}
