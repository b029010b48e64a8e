// Clusters and pins in MapLibre GL JS: as vector tiles, or as GeoJSON that follows the map and its changes.
//
//   import * as pincluster from './maplibre.js'
//   pincluster.layer('http://127.0.0.1:8080/collections/cities', { titleProperty: 'name' }).addTo(map)

import { Card } from './content.js'
import { abbreviated, descriptionOf, placeOf, rootOf, style } from './face.js'
import { Follower } from './follow.js'
import { countImage, countOf, layersOf } from './maplibre-style.js'
import { askable, askableZoom, near, nearby } from './mercator.js'
import { Collection } from './pincluster.js'
import { change, given, listable } from './query.js'
import { spread } from './spread.js'
import { drilldown, paging } from './view.js'

export { html } from './content.js'

// Options of the layer; all others are fields of the viewport request.
const DEFAULTS = {
  id: undefined, form: undefined, live: false, color: '#2b59c3', text: true, textColor: '#fff', layers: undefined, zoomOnClick: true,
  spreadOnClick: true, mostSpread: 100, popup: undefined, describe: undefined, onSelect: undefined, onError: undefined, onView: undefined,
  headers: undefined, attribution: undefined, maplibre: undefined,
}
// MapLibre's world is 512 points wide at zoom 0, that of the service 256.
const ZOOM = 1
// Lines around circles, which MapLibre draws outside of them.
const EDGE = 2
// How far from the middle a tilted map, which may show the horizon, is drawn: so many times its longer side.
const MOST_SCREENS = 2
// Between a popup and the edge of the map, in pixels.
const CARD_EDGE = 5
// The style of a map whose own can't be had.
const BLANK = { version: 8, sources: {}, layers: [] }
const NOTHING = { type: 'FeatureCollection', features: [] }
// Fields of a viewport request that change nothing in tiles, which don't take them.
const NOT_OF_TILES = [
  'titleProperty', 'subtitleLimit', 'marginFactor', 'limit', 'keepApart', 'fields', 'members', 'hull', 'histogram', 'debug', 'wrap',
]
// The ids of the layers on each map.
const TAKEN = new WeakMap()
// The names by which the service tells clusters and pins. It leaves out features' own properties of these names, too.
const MARKS = ['cluster', 'cluster_id', 'point_count', 'point_count_abbreviated', 'annotation_id', 'feature_id']

/** The layers of a collection, by its URL. `form` is `tiles` (as usual) or `geojson` (as usual when `live`). */
export function layer(url, options = {}) { return new Layer(url, options) }

/** A source and its layers: circles for clusters and pins, counts, and what shares a place, spread. */
export class Layer {
  #map
  #shown = new Map()
  #spreadPins = new Map()
  #card
  #hovered
  #drill
  #checking
  #listeners = []

  constructor(url, options) {
    this.options = { ...DEFAULTS }
    this.fields = {}
    for (const [name, value] of Object.entries(given(options))) (name in DEFAULTS ? this.options : this.fields)[name] = value
    this.collection = new Collection(url, this.options.headers && { headers: this.options.headers })
    this.options.form ??= this.options.live ? 'geojson' : 'tiles'
    this.options.maplibre ??= globalThis.maplibregl
    if (this.options.popup && !this.options.maplibre?.Popup) throw new TypeError('popups need the option maplibre: the module of MapLibre GL JS')
    this.id = this.options.id ?? `pincluster-${this.collection.id}`
    this.follower = new Follower(this.collection, {
      live: this.options.live, reuse: false,
      onChange: (_, head, cause) => this.#draw(head, cause),
      onError: error => this.options.onError?.(error),
    })
  }

  /** Whether tiles are drawn, rather than GeoJSON. */
  get isTiled() { return this.options.form === 'tiles' }

  addTo(map) {
    this.remove()
    this.#map = map
    if (this.options.id === undefined) this.id = idOn(map, `pincluster-${this.collection.id}`)
    this.#on('click', ({ point }) => this.#click(point))
    for (const name of ['clusters', 'pins']) {
      this.#on('mousemove', event => this.#hover(event.features[0]), `${this.id}-${name}`)
      this.#on('mouseleave', () => this.#hover(), `${this.id}-${name}`)
    }
    this.#on('zoomstart', () => this.gather())
    this.#on('remove', () => this.remove())
    this.#on('styleimagemissing', ({ id }) => this.#addCount(id))
    if (this.isTiled) this.#on('idle', () => this.#checkCard())
    else this.#on('moveend', () => this.#map.getSource(this.id) && this.follower.show(this.view()))
    // A style takes layers long before its tiles are there. Another one that takes its place begins without them. The event comes in the
    // midst of a frame, which can't draw what is added then.
    this.#on('styledata', () => queueMicrotask(() => this.#listeners.length && this.#begin()))
    if (map.getStyle()) this.#begin()
    else map.on('error', this.#onStyleFailed)
    return this
  }

  remove() {
    const map = this.#map
    if (!map) return
    TAKEN.get(map)?.delete(this.id)
    this.follower.close()
    this.#drill?.abort()
    this.#checking?.abort()
    this.#closeCard()
    for (const [type, listener, target] of this.#listeners) target ? map.off(type, target, listener) : map.off(type, listener)
    this.#listeners = []
    map.off('error', this.#onStyleFailed)
    if (map.getStyle()) {
      if (this.#hovered !== undefined) this.#hover()
      for (const { id } of this.#layers()) if (map.getLayer(id)) map.removeLayer(id)
      for (const id of map.listImages()) if (countOf(this.id, id) !== null) map.removeImage(id)
      for (const id of [this.id, `${this.id}-spread`]) if (map.getSource(id)) map.removeSource(id)
    }
    this.#map = this.#hovered = undefined
  }

  /** Changes fields of the viewport request; null takes one back. */
  setFields(fields) {
    change(this.fields, fields)
    this.refresh()
    return this
  }

  /** Asks anew: for what the map shows, or where the tiles are now. */
  refresh() {
    if (!this.#map?.getStyle()) return
    this.gather()
    if (!this.isTiled) return this.follower.show(this.view())
    this.#map.getSource(this.id)?.setUrl(this.#tiles())
    this.#checkTiles()
  }

  /**
   * The viewport request of what the map shows now. Bounds of a turned or tilted map are a box around what is visible, so
   * the scale is told by the zoom, which turning doesn't change.
   */
  view() {
    const bounds = this.#map.getBounds()
    const zoom = Number(askableZoom(this.#map.getZoom() + ZOOM).toFixed(3))
    const { clientWidth, clientHeight } = this.#map.getContainer()
    const most = MOST_SCREENS * Math.max(clientWidth, clientHeight) * 2 ** (20 - zoom)
    const shown = nearby([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()], this.#map.getCenter(), most)
    const bbox = askable(shown)
    return { marginFactor: 0.25, zoomStep: 1, ...this.fields, bbox: bbox.map(number => Number(number.toFixed(6))), zoom }
  }

  // MARK: Source and layers

  #tiles() { return this.collection.tileJSONURL(this.#tileFields()) }

  #tileFields() {
    const fields = Object.fromEntries(Object.entries(this.fields).filter(([name]) => !NOT_OF_TILES.includes(name)))
    if (fields.method === 'grid') delete fields.method
    const { titleProperty } = this.fields
    const { popup } = this.options
    if (titleProperty && !fields.properties && typeof popup !== 'function') fields.properties = [...new Set([titleProperty, ...popup ?? []])]
    return listable(fields)
  }

  // MapLibre asks for tiles by itself, and tells errors of sources to the map alone.
  #checkTiles() {
    this.#checking?.abort()
    if (!this.options.onError) return
    const { signal } = (this.#checking = new AbortController())
    this.collection.tileJSON(this.#tileFields(), { signal }).catch(error => { if (!signal.aborted) this.options.onError(error) })
  }

  // A map without the style that it asked for shows the layer alone. MapLibre logs errors only while it has no
  // listeners for them.
  #onStyleFailed = ({ error }) => {
    console.error(error)
    if (!this.#map.getStyle()) this.#map.setStyle(BLANK, { diff: false })
  }

  #begin() {
    const map = this.#map
    if (map.getSource(this.id) || !map.getStyle()) return
    map.off('error', this.#onStyleFailed)
    const attribution = this.options.attribution && { attribution: this.options.attribution }
    map.addSource(this.id, this.isTiled
      ? { type: 'vector', url: this.#tiles(), ...attribution }
      : { type: 'geojson', data: NOTHING, promoteId: 'annotation_id', ...attribution })
    map.addSource(`${this.id}-spread`, { type: 'geojson', data: NOTHING })
    for (const layer of this.#layers()) map.addLayer(layer)
    if (this.isTiled) this.#checkTiles()
    else this.follower.show(this.view())
  }

  #on(type, listener, target) {
    this.#listeners.push([type, listener, target])
    if (target) this.#map.on(type, target, listener)
    else this.#map.on(type, listener)
  }

  #layers() {
    return layersOf(this.id, { source: this.id, ...(this.isTiled && { 'source-layer': this.collection.id }) }, this.options, this.#map)
  }

  #addCount(image) {
    const count = countOf(this.id, image)
    if (count !== null && !this.#map.hasImage(image)) this.#map.addImage(image, ...countImage(count, this.options.textColor))
  }

  #draw(head, cause) {
    const centre = this.#map.getCenter().lng
    const zoom = this.#map.getZoom() + ZOOM
    this.#shown = this.follower.screen.annotations
    const features = [...this.#shown.values()].map(annotation => {
      const { id, count, title, group, weight, feature } = annotation
      const { latitude, longitude } = placeOf(annotation, this.fields.groups ? null : head, zoom, EDGE)
      const cluster = count > 1 && { cluster: true, cluster_id: id, point_count: count, point_count_abbreviated: abbreviated(count) }
      return {
        type: 'Feature', geometry: { type: 'Point', coordinates: [near(longitude, centre), latitude] },
        properties: { title, group, weight, ...own(feature), ...cluster, annotation_id: id },
      }
    })
    this.#map.getSource(this.id)?.setData({ type: 'FeatureCollection', features })
    this.#renewCard()
    this.options.onView?.(head, cause)
  }

  // MARK: Pointing

  #hover(feature) {
    const map = this.#map
    const target = id => ({ source: this.id, id, ...(this.isTiled && { sourceLayer: this.collection.id }) })
    if (this.#hovered !== undefined && map.getSource(this.id)) map.setFeatureState(target(this.#hovered), { hover: false })
    this.#hovered = feature?.id
    if (this.#hovered !== undefined) map.setFeatureState(target(this.#hovered), { hover: true })
    map.getCanvas().style.cursor = feature ? 'pointer' : ''
  }

  // Of what lies one over another, the topmost is meant.
  #click(point) {
    const layers = ['clusters', 'pins', 'spread-pins'].map(name => `${this.id}-${name}`).filter(id => this.#map.getLayer(id))
    const [feature] = layers.length ? this.#map.queryRenderedFeatures(point, { layers }) : []
    if (feature) this.#select(feature)
  }

  #select(feature) {
    if (this.options.onSelect?.(feature) === false) return
    if (feature.properties.cluster === true) this.open(feature.properties.cluster_id, feature.geometry.coordinates)
    else if (this.options.popup) this.#openCard(feature)
  }

  /** Goes to where a cluster comes apart; spreads what no zoom tells apart. */
  async open(id, centre) {
    if (!this.#map) return
    this.#drill?.abort()
    const { signal } = (this.#drill = new AbortController())
    try {
      const view = drilldown(this.isTiled ? this.#tileFields() : this.view(), this.#shown.get(id))
      const { expansionZoom } = await this.collection.annotation(id, view, { signal })
      const isApart = expansionZoom !== null && expansionZoom - ZOOM <= this.#map.getMaxZoom()
      if (isApart && this.options.zoomOnClick) this.#map.easeTo({ center: centre, zoom: Math.max(expansionZoom - ZOOM, this.#map.getZoom() + 0.5) })
      if (!isApart && this.options.spreadOnClick) await this.#spread(id, centre, view, signal)
    } catch (error) {
      if (error.name !== 'AbortError') this.options.onError?.(error)
    }
  }

  async #spread(id, centre, view, signal) {
    const { features } = await this.collection.features(id, { ...paging(view), limit: this.options.mostSpread }, { signal })
    signal.throwIfAborted()
    if (!this.isTiled && !this.#shown.has(id)) return
    if (this.#card?.isSpread) this.#closeCard()
    this.#spreadPins = new Map(features.map(feature => [feature.id, feature]))
    const { x, y } = this.#map.project(centre)
    const parts = spread(features.length, this.fields.pinLayout).flatMap(([dx, dy], i) => {
      const { lng, lat } = this.#map.unproject([x + dx, y + dy])
      return [
        { type: 'Feature', geometry: { type: 'LineString', coordinates: [centre, [lng, lat]] }, properties: {} },
        { type: 'Feature', geometry: { type: 'Point', coordinates: [lng, lat] }, properties: own(features[i]) },
      ]
    })
    this.#map.getSource(`${this.id}-spread`)?.setData({ type: 'FeatureCollection', features: parts })
  }

  /** Takes spread pins back. */
  gather() {
    this.#drill?.abort()
    this.#map?.getSource(`${this.id}-spread`)?.setData(NOTHING)
    this.#spreadPins.clear()
    if (this.#card?.isSpread) this.#closeCard()
  }

  // MARK: Popups

  #openCard(feature) {
    this.#closeCard()
    style(rootOf(this.#map.getContainer()))
    const annotation = this.#annotationOf(feature)
    const card = new Card({
      popup: this.options.popup, describe: this.options.describe ?? descriptionOf, titled: Boolean(this.fields.titleProperty),
      onClose: () => this.#card?.card === card && this.#closeCard(), onChange: () => this.#card?.card === card && this.#fitCard(), onError: error => this.options.onError?.(error),
    })
    if (!card.show(annotation)) return
    const maxWidth = `${Math.min(320, this.#map.getContainer().clientWidth - 2 * CARD_EDGE)}px`
    const popup = new this.options.maplibre.Popup({ offset: 10, maxWidth, focusAfterOpen: false, className: 'pincluster-popup' })
    this.#card = { card, popup, annotation, isSpread: feature.source === `${this.id}-spread` }
    popup.setDOMContent(card.element).setLngLat(this.#placeOf(annotation)).addTo(this.#map)
    popup.on('close', () => {
      if (this.#card?.popup === popup) this.#card = null
      if (card.hasFocus) this.#map?.getCanvas().focus({ preventScroll: true })
    })
    card.open(popup.getElement())
    this.#fitCard()
  }

  // Pans the map until the popup is within it, as Leaflet does.
  #fitCard() {
    const box = this.#card.popup.getElement().getBoundingClientRect()
    const frame = this.#map.getContainer().getBoundingClientRect()
    const beyond = (low, high, least, most) => Math.min(low - least, 0) || Math.max(high - most, 0)
    const x = beyond(box.left, box.right, frame.left + CARD_EDGE, frame.right - CARD_EDGE)
    const y = beyond(box.top, box.bottom, frame.top + CARD_EDGE, frame.bottom - CARD_EDGE)
    if (x || y) this.#map.panBy([x, y])
  }

  #closeCard() { this.#card?.popup.remove() }

  // The pin that a feature on the map is; tiles have what a popup needs, but rounded and flat.
  #annotationOf({ properties, geometry }) {
    const { annotation_id: id, feature_id } = properties
    const shown = this.#shown.get(id)
    if (shown) return shown
    const of = this.#spreadPins.get(feature_id)
    const feature = { id: feature_id, properties: of?.properties ?? Object.fromEntries(propertiesOf(properties)) }
    const [longitude, latitude] = geometry.coordinates
    const title = String(feature.properties[this.fields.titleProperty] ?? feature_id)
    return { id: id ?? `feature ${feature_id}`, coordinate: { latitude, longitude }, count: 1, isCluster: false, title, feature }
  }

  #placeOf({ coordinate: { latitude, longitude } }) { return [near(longitude, this.#map.getCenter().lng), latitude] }

  // The content of a popup follows its pin, until the pin becomes a part of a cluster.
  #renewCard() {
    if (!this.#card || this.#card.isSpread) return
    const { card, popup, annotation } = this.#card
    const now = [...this.#shown.values()].find(({ count, feature }) => count === 1 && feature?.id === annotation.feature?.id)
    if (!now) return this.#closeCard()
    if (JSON.stringify(now) === JSON.stringify(annotation)) return
    this.#card.annotation = now
    popup.setLngLat(this.#placeOf(now))
    if (!card.show(now)) this.#closeCard()
  }

  // Tiles say nothing of what has gone: what should be on screen and isn't drawn.
  #checkCard() {
    if (!this.#card || this.#card.isSpread) return
    const { popup, annotation } = this.#card
    const filter = ['==', ['get', 'feature_id'], annotation.feature.id]
    const isDrawn = this.#map.queryRenderedFeatures({ layers: [`${this.id}-pins`], filter }).length > 0
    if (!isDrawn && this.#map.getBounds().contains(popup.getLngLat())) this.#closeCard()
  }
}

/** An id that no layer on a map has; the first of a collection has that of the collection. */
function idOn(map, id) {
  if (!TAKEN.has(map)) TAKEN.set(map, new Set())
  const taken = TAKEN.get(map)
  let own = id
  for (let i = 2; taken.has(own); i++) own = `${id}-${i}`
  taken.add(own)
  return own
}

/** The properties of a pin: its feature's own, without those named like a mark, and its id. */
function own(feature) {
  return feature ? { ...Object.fromEntries(propertiesOf(feature.properties)), feature_id: feature.id } : {}
}

const propertiesOf = properties => Object.entries(properties ?? {}).filter(([name]) => !MARKS.includes(name))
