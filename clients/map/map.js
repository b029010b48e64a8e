// The map page: a collection on a map, with the clients that this service offers to everybody.

import * as pincluster from './leaflet.js'
import { keyOf } from './map-colors.js'
import { Completion, nameInFilter } from './map-complete.js'
import { Details } from './map-details.js'
import { takeFiles } from './map-drop.js'
import { hasKey, headers, withKey } from './map-key.js'
import { labels, usualTitles } from './map-labels.js'
import { Look } from './map-look.js'
import { find, search } from './map-search.js'
import { read, SIZES, sizes, written } from './map-state.js'
import { copy, curl, figures, filterError, options, showNotes, tell, took } from './map-texts.js'
import { areDays, TimeSlider } from './map-time.js'
import { drawCells, later, loadLeaflet, makeMap, makeRoom, padding, place } from './map-view.js'
import { near, boundsOf } from './mercator.js'
import { Pincluster } from './pincluster.js'

const $ = id => document.getElementById(id)
const root = new URL('..', import.meta.url).href
const service = new Pincluster(root, { headers })
const state = read(location.hash)
const look = new Look({ list: $('legend'), how: $('how'), note: $('legend-note') })
const completion = new Completion({ field: $('filter'), list: $('completions'), status: $('status') })
let [map, land, layer, cells, info, chosen, schemas] = []
// The place of the list or card opened last, to which the focus goes back.
let opened
let isReady = false
let opening
// The collection that was asked for and isn't there.
let missing = ''

// MARK: The map

function makeLayer() {
  layer?.remove()
  cells?.remove()
  cells = null
  layer = pincluster.layer(`${root}collections/${encodeURIComponent(state.collection)}`, {
    ...fields(), headers, live: state.live, padding: () => padding(map),
    color: of => look.color(of), pie: of => look.pie(of), describe: of => look.describe(of),
    onSelect(annotation, marker) {
      opened = marker.getLatLng()
      if (annotation.count > 1 || !annotation.feature) return details.cluster(annotation)
      choose(annotation.feature)
      makeRoom(map, marker.getLatLng(), 50)
    },
  })
  layer.on('spread', ({ latlng, radius }) => makeRoom(map, latlng, radius + 20))
  layer.on('view', ({ head, cause }) => shown(head, cause))
  layer.on('problem', ({ error }) => problem(error))
  layer.on('status', ({ status }) => { document.body.dataset.status = status })
  layer.addTo(map)
}

// The fields of the state; null removes one.
function fields() {
  const properties = [...new Set([state.titles, ...look.properties].filter(Boolean))]
  return {
    ...sizes(state), method: state.method === 'grid' ? null : state.method,
    filter: state.filter.trim() || null, titleProperty: state.titles || null, subtitleLimit: state.titles ? 3 : null,
    ...look.fields,
    datetime: time.datetime ?? null,
    debug: state.grid && state.method === 'grid' ? true : null,
    keepApart: state.id ? [state.id] : null,
    properties: properties.length ? properties : 'none',
  }
}

function update() {
  save()
  layer?.setFields(fields())
}

// MARK: Answers

function shown(head, cause) {
  const annotations = layer.annotations()
  showError(null)
  showNotes($('filter-notes'), head.notes)
  $('figures').textContent = `${missing && `There is no collection ${missing}. `}${figures(head, annotations)}`
  if (cause.type === 'live') newTimes()
  else announce()
  land.keepFree(labels(map, layer, Boolean(state.titles)))
  if (look.legend(annotations)) layer.repaint()
  if (cause.type === 'view') {
    $('curl').textContent = curl(layer.collection.request(layer.view()), hasKey())
    $('took').textContent = `${Math.round(took(layer.collection.request(layer.view()).url) ?? cause.milliseconds)} ms`
    cells?.remove()
    cells = drawCells(map, head.grid)
    askForTimes()
  }
  markChosen()
  document.body.dataset.version = head.version
}

let announcing
function announce() {
  clearTimeout(announcing)
  announcing = setTimeout(() => { $('status').textContent = $('figures').textContent }, 800)
}

function problem(error) {
  if (error.name === 'AbortError') return
  if (error.about?.('filter')) return showError(error)
  // The key was taken away: with another one, all begins anew.
  if (error.status === 401 && isReady) return withKey(allCollections).then(() => location.reload(), problem)
  $('figures').textContent = error.status === undefined ? 'The service can’t be reached.' : error.message
}

function showError(error) {
  $('filter-error').hidden = !error
  $('filter').setAttribute('aria-invalid', String(Boolean(error)))
  if (error) showNotes($('filter-notes'))
  if (error) $('filter-error').replaceChildren(...filterError(state.filter.trim(), error.about('filter')))
  else $('filter-error').replaceChildren()
}

// MARK: Features

const nameOf = feature => {
  const name = feature.properties?.[state.titles]
  return name === undefined || name === null ? `Feature ${feature.id}` : keyOf(name)
}

const details = new Details(
  { card: $('details'), title: $('details-title'), note: $('details-note'), body: $('details-body'), close: $('close'),
    pages: $('pages'), page: $('page'), back: $('back'), next: $('next') },
  {
    nameOf,
    go: feature => locate(feature),
    load: (id, page, signal) => {
      const { filter, datetime, method, ...view } = layer.view()
      const where = method ? { ...view, filter, datetime, method } : { filter, datetime }
      return layer.collection.features(id, { ...where, ...page, properties: state.titles || 'none' }, { signal })
    },
    onClose(hadFocus) {
      if (hadFocus && (!opened || !layer.focusNear(opened))) $('map').focus({ preventScroll: true })
      // With another collection, or a feature by its address, the state is that already.
      if (!state.id || !isReady) return
      state.id = null
      chosen = null
      update()
    },
  })

async function choose(feature, isAsked = true) {
  chosen = feature
  markChosen()
  const focus = document.activeElement
  const whole = await layer.collection.get(feature.id).catch(() => null)
  // A user who has moved the focus meanwhile keeps it.
  const takesFocus = isAsked && [focus, document.body].includes(document.activeElement)
  if (chosen === feature) details.feature(whole?.feature ?? feature, { takesFocus })
}

function markChosen() {
  for (const element of document.querySelectorAll('.pincluster-chosen')) element.classList.remove('pincluster-chosen')
  if (!chosen) return
  const own = layer.annotations().find(({ feature }) => feature && String(feature.id) === String(chosen.id))
  if (own) layer.element(own.id)?.classList.add('pincluster-chosen')
}

async function locate(feature) {
  const { x, y } = map.getSize()
  try {
    const { visibleMapRect } = await layer.collection.locate(feature.id, {
      latitudinalMeters: 20000, longitudinalMeters: 20000, viewportWidth: x, viewportHeight: y,
      ...(state.filter.trim() && { filter: state.filter.trim() }),
    })
    const [west, south, east, north] = boundsOf(visibleMapRect)
    state.id = String(feature.id)
    chosen = feature
    Object.assign(layer.fields, { keepApart: [state.id] })
    const shift = near((west + east) / 2, map.getCenter().lng) - (west + east) / 2
    map.fitBounds([[south, west + shift], [north, east + shift]])
    opened = map.getCenter()
    update()
    choose(feature)
  } catch (error) {
    tell($('not-found'), error.status === 404 ? 'The filter leaves it out.' : error.message)
  }
}

// MARK: Times

const time = new TimeSlider(
  { section: $('time'), bars: $('bars'), from: $('from'), to: $('to'), span: $('span'), play: $('play') },
  {
    onChange() {
      [state.from, state.to] = time.times
      update()
    },
  })

// A write may lie before or after all known times.
const newTimes = later(1000, async () => {
  const description = await layer.collection.info().catch(() => null)
  if (description?.id !== state.collection) return
  time.extend(description.extent?.temporal?.interval?.[0], areDays(info.temporal, schemas))
  askForTimes()
})

const askForTimes = () => time.ask(layer.collection, layer.view(), info?.temporal?.property ?? info?.temporal?.start)

// MARK: Controls

function save() {
  if (!isReady) return
  const { lat, lng } = map.getCenter()
  Object.assign(state, { lat: Number(lat.toFixed(5)), lng: Number(lng.toFixed(5)), zoom: Number(map.getZoom().toFixed(2)) })
  history.replaceState(null, '', written(state))
}

function showSize() {
  const [, name, least, most, usual] = SIZES[state.method]
  Object.assign($('size'), { min: least, max: most, value: state.size ?? usual })
  $('size-label').textContent = name
  $('size-value').textContent = $('size').value
  $('grid').disabled = $('live').disabled = state.method !== 'grid'
}

function listen() {
  const changed = (id, type, action) => $(id).addEventListener(type, action)
  changed('collection', 'change', () => changeTo($('collection').value))
  changed('filter', 'input', later(350, () => {
    state.filter = $('filter').value
    update()
  }))
  changed('color', 'change', () => {
    state.color = $('color').value
    chooseLook().then(update, () => {})
  })
  for (const radio of document.querySelectorAll('input[name=how]')) {
    radio.addEventListener('change', () => {
      state.how = radio.value
      look.show(state.how)
      update()
    })
  }
  for (const radio of document.querySelectorAll('input[name=method]')) {
    radio.addEventListener('change', () => {
      Object.assign(state, { method: radio.value, size: null })
      showSize()
      update()
    })
  }
  const resized = later(150, update)
  changed('size', 'input', () => {
    state.size = Number($('size').value)
    showSize()
    resized()
  })
  changed('titles', 'change', () => {
    state.titles = $('titles').value
    update()
  })
  changed('grid', 'change', () => {
    state.grid = $('grid').checked
    update()
  })
  changed('live', 'change', () => {
    state.live = $('live').checked
    save()
    layer.setLive(state.live)
  })
  changed('copy', 'click', () => copy($('curl').textContent, $('copy')))
  const toggle = isOpen => {
    $('panel').classList.toggle('open', isOpen)
    $('more').setAttribute('aria-expanded', String(isOpen))
  }
  changed('more', 'click', () => toggle(!$('panel').classList.contains('open')))
  // Escape closes one thing after the other, that which has the focus first.
  addEventListener('keydown', event => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    const isIn = id => $(id).contains(document.activeElement)
    if (!$('import').hidden) $('import-close').click()
    else if (isIn('details')) details.close()
    else if (document.querySelector('.pincluster-open')) layer.gather()
    else if (!$('details').hidden) details.close()
    else if ($('panel').classList.contains('open')) {
      toggle(false)
      if (isIn('options')) $('more').focus()
    }
  })
  search({ form: $('search'), field: $('name'), list: $('found'), note: $('not-found') }, {
    find: (text, signal) => find(layer.collection, text, { titles: state.titles, filter: state.filter.trim() }, signal),
    go: locate, nameOf,
  })
  takeFiles(service, headers, withKey, id => allCollections().then(list => changeTo(id, list), problem))
  addEventListener('hashchange', () => {
    Object.assign(state, read(location.hash))
    openCollection().catch(problem)
  })
  new ResizeObserver(([{ target }]) =>
    document.documentElement.style.setProperty('--sheet', `${target.offsetHeight}px`)).observe($('panel'))
}

// MARK: Collections

/**
 * Shows the collection of the state.
 *
 * @param known its description, if it has come already, and its queryables, if they have been asked for
 */
async function openCollection(known = {}) {
  // Typing in the list of collections chooses others on the way.
  const own = opening = {}
  isReady = false
  details.close()
  opened = null
  chosen = null
  const collection = service.collection(state.collection)
  const [description, schema] = await Promise.all([known.info ?? collection.info(), known.schema ?? collection.queryables()])
  if (opening !== own) return
  info = description
  $('collection').value = info.id
  schemas = schema.properties
  const names = Object.keys(schemas).filter(name => name !== 'geometry' && name !== 'id')
  if (state.titles === null || !names.includes(state.titles)) state.titles = usualTitles(names, schemas)
  options($('titles'), names, 'none', state.titles)
  options($('color'), names, 'none', state.color)
  state.color = $('color').value
  await chooseLook()
  if (opening !== own) return
  completion.use(collection, schemas)
  $('filter').value = state.filter
  $('filter').placeholder = names.includes('population') ? 'population > 100000' : names.length ? `${nameInFilter(names[0])} IS NOT NULL` : ''
  for (const name of ['how', 'method']) document.querySelector(`input[name=${name}][value=${state[name]}]`).checked = true
  $('grid').checked = state.grid
  $('live').checked = state.live
  showSize()
  time.reset(info.extent?.temporal?.interval?.[0], state.from, state.to, areDays(info.temporal, schemas))
  document.title = `${info.title ?? info.id} · pincluster`
  place(map, state, info.extent?.spatial?.bbox?.[0])
  isReady = true
  makeLayer()
  save()
  tell($('not-found'))
  if (!state.id) return
  const found = await collection.get(state.id)
  if (opening !== own) return
  if (found) choose(found.feature, false)
  else tell($('not-found'), `There is no feature ${state.id} here.`)
}

const chooseLook = () => look.choose(service.collection(state.collection), state.color, state.how, schemas[state.color]?.type)

function changeTo(id, list) {
  if (list) listCollections(list, id)
  missing = ''
  // The way back leads to the collection that was shown.
  history.pushState(null, '', location.hash)
  Object.assign(state, read(''), { collection: id, live: state.live })
  openCollection().catch(problem)
}

function listCollections(list, id) {
  $('collection').replaceChildren(...list.map(({ id, title }) => new Option(title ?? id, id)))
  $('collection').value = id
}

async function allCollections() {
  const list = []
  for await (const collection of service.collections()) if (list.push(collection) >= 1000) break
  return list
}

async function start() {
  if (document.documentElement.dataset.leaflet !== 'found') {
    $('panel').hidden = true
    $('message').hidden = false
    $('message').textContent =
      'The map needs Leaflet, which was not found when the service started. Install Debian’s libjs-leaflet, or name its folder with --leaflet.'
    return
  }
  const wanted = state.collection
  // The wanted collection may not exist; the list tells.
  const schema = wanted ? service.collection(wanted).queryables().catch(() => undefined) : undefined
  const [list] = await Promise.all([withKey(allCollections), loadLeaflet()])
  ;({ map, land } = makeMap(root))
  map.on('moveend', save)
  listen()
  let own = list.find(({ id }) => id === wanted)
  if (!own) {
    missing = wanted
    own = list.find(({ featureCount }) => featureCount > 0) ?? list[0]
  }
  state.collection = own?.id ?? ''
  listCollections(list, state.collection)
  if (own) return openCollection({ info: own, schema: own.id === wanted ? await schema : undefined })
  $('figures').textContent = 'There are no collections yet. Drop a CSV or GeoJSON file onto the map.'
  place(map, state)
}

start().catch(problem)
