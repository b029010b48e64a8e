// Files that are dropped onto the page, or chosen, and stored as a collection.

import { amount, withoutAccents } from './map-texts.js'
import { PinclusterError } from './problem.js'

const GEOJSON = 'application/geo+json'
const LINES = 'application/geo+json-seq'
const TYPES = {
  csv: 'text/csv', tsv: 'text/csv', txt: 'text/csv', json: GEOJSON, geojson: GEOJSON,
  geojsonl: LINES, geojsons: LINES, geojsonseq: LINES, jsonl: LINES, ndjson: LINES,
}
// The longest body that the service takes.
const MOST_BYTES = 64 * 2 ** 20
const MOST_ROWS = 20

/** What the name of a file says: the media type of what is in it, undefined if the service doesn't read that; whether it is packed; and a collection's id. */
export function described(name) {
  const parts = name.split('.')
  const isPacked = parts.length > 2 && parts.at(-1).toLowerCase() === 'gz'
  if (isPacked) parts.pop()
  const type = parts.length > 1 ? TYPES[parts.pop().toLowerCase()] : undefined
  const id = withoutAccents(parts.join('.')).replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '')
  return { type, isPacked, id: id.slice(0, 60) || 'places' }
}

/** Takes files. `stored(id)` is called when features have been stored in a collection. */
export function takeFiles(service, headers, withKey, stored) {
  const [frame, card, title, note, list, buttons, button, field, close] = [
    'drop', 'import', 'import-title', 'import-note', 'import-list', 'import-choices', 'choose', 'file', 'import-close',
  ].map(id => document.getElementById(id))
  let task = new AbortController()
  // The element that had the focus before.
  let before

  function show(name, text, rows = [], choices = []) {
    if (card.hidden) before = document.activeElement
    card.hidden = false
    title.textContent = name
    note.textContent = text
    list.replaceChildren(...rows.slice(0, MOST_ROWS).map(text => item(text)))
    if (rows.length > MOST_ROWS) list.append(item(`and ${(rows.length - MOST_ROWS).toLocaleString()} more`))
    buttons.replaceChildren(...choices.map(([text, action]) => choice(text, action)))
    const [first] = buttons.children
    if (first) first.focus()
  }

  function hide() {
    task.abort()
    const hadFocus = card.contains(document.activeElement)
    card.hidden = true
    if (hadFocus) before?.focus()
  }

  async function take(file) {
    const { type, isPacked, id } = described(file.name)
    task.abort()
    task = new AbortController()
    if (!type || file.size > MOST_BYTES) {
      const why = type ? 'The page takes files of up to 64 MiB.' : 'The page reads CSV and GeoJSON.'
      return show(file.name, `${why} This command stores any file that GDAL knows:`, [`pincluster import '${file.name.replaceAll("'", "'\\''")}' --collection ${id}`])
    }
    const { signal } = task
    const send = (id, isNew = true) => store(file, id, isNew, { 'Content-Type': type, ...(isPacked && { 'Content-Encoding': 'gzip' }) }, signal)
    try {
      const there = await withKey(() => known(id, signal))
      if (!there) return await send(id)
      const free = await freeName(id, signal)
      show(file.name, `There is a collection ${id} with ${amount(there.featureCount, 'feature')}.`, [], [
        [`Store as ${free}`, () => send(free)],
        [`Add to ${id}; features of the same ids are replaced`, () => send(id, false)],
      ])
    } catch (error) {
      failed(file.name, error)
    }
  }

  async function known(id, signal) {
    try {
      return await service.collection(id).info({ signal })
    } catch (error) {
      if (error.status === 404) return null
      throw error
    }
  }

  async function freeName(id, signal) {
    for (let number = 2; ; number++) if (!await known(`${id}-${number}`, signal)) return `${id}-${number}`
  }

  async function store(file, id, isNew, fields, signal) {
    show(file.name, `${Math.max(1, Math.round(file.size / 1024)).toLocaleString()} kB are on their way to ${id} …`)
    try {
      const answer = await withKey(async () => {
        const url = `${service.collection(id).url}/items?onError=skip`
        const response = await fetch(url, { method: 'POST', headers: { ...headers, ...fields }, body: file, signal })
        if (!response.ok) throw await PinclusterError.of(response)
        return response.json()
      })
      const count = answer.inserted + answer.updated
      const parts = [`${amount(count, 'feature')} stored in ${id}`]
      if (answer.updated) parts.push(`${answer.updated.toLocaleString()} of them replaced others`)
      if (answer.rejected) parts.push(`${answer.rejected.toLocaleString()} left out`)
      show(file.name, `${parts.join('; ')}.`, [...(answer.errors ?? []).map(reason), ...(answer.notes ?? [])])
      if (count) stored(id)
      // A collection that only this file would have made isn't left behind empty.
      else if (isNew && (await known(id, signal))?.featureCount === 0) await service.collection(id).drop({ signal })
    } catch (error) {
      failed(file.name, error)
    }
  }

  function failed(name, error) {
    if (error.name === 'AbortError') return
    const isOfService = error instanceof PinclusterError
    const text = { 401: 'This key may not write here.', 403: 'This key may not write here.' }[error.status]
    show(name, text ?? (isOfService ? `Nothing was stored: ${error.message}` : 'The service can’t be reached, or the file can’t be read.'),
      (error.errors ?? []).map(reason))
  }

  const hasFiles = event => [...event.dataTransfer?.types ?? []].includes('Files')
  addEventListener('dragover', event => {
    if (!hasFiles(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    frame.hidden = false
  })
  addEventListener('dragleave', event => {
    if (!event.relatedTarget) frame.hidden = true
  })
  addEventListener('drop', event => {
    frame.hidden = true
    if (!hasFiles(event)) return
    event.preventDefault()
    const { files } = event.dataTransfer
    if (files.length > 1) show('Files', 'One file at a time, please.')
    else if (files.length) take(files[0])
  })
  button.addEventListener('click', () => field.click())
  field.addEventListener('change', () => {
    if (field.files.length) take(field.files[0])
    field.value = ''
  })
  close.addEventListener('click', hide)
}

const reason = ({ pointer, detail }) => (pointer ? `${pointer.replace(/^\/lines\//, 'line ')}: ${detail}` : detail)

function item(text) {
  const item = document.createElement('li')
  item.textContent = text
  return item
}

function choice(text, action) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'quiet', textContent: text })
  button.addEventListener('click', action)
  return button
}
