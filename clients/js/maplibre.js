// Clusters and pins in MapLibre GL JS: as vector tiles, or as GeoJSON that follows the map and its changes.
//
//   import * as pincluster from './maplibre.js'
//   pincluster.layer('http://127.0.0.1:8080/collections/cities', { titleProperty: 'name' }).addTo(map)

import { abbreviated, placeOf } from './face.js'
import { drilldown, Follower } from './follow.js'
import { askable, near, nearby } from './mercator.js'
import { Collection } from './pincluster.js'
import { spread } from './spread.js'

// Options of the layer; all others are fields of the viewport request.
const DEFAULTS = {
  id: undefined, form: undefined, live: false, color: '#2b59c3', text: undefined, zoomOnClick: true, spreadOnClick: true,
  mostSpread: 100, onSelect: undefined, onError: undefined, onView: undefined, headers: undefined,
}
// MapLibre's world is 512 points wide at zoom 0, that of the service 256.
const ZOOM = 1
const MOST_ZOOM = 24
// Lines around circles, which MapLibre draws outside of them.
const EDGE = 2
// How far from the middle a tilted map, which may show the horizon, is drawn: so many times its longer side.
const MOST_SCREENS = 2
const NOTHING = { type: 'FeatureCollection', features: [] }
// The names by which the service tells clusters and pins. It leaves out features' own properties of these names, too.
const MARKS = ['cluster', 'cluster_id', 'point_count', 'point_count_abbreviated', 'annotation_id', 'feature_id']

/** The layers of a collection, by its URL. `form` is `tiles` (as usual) or `geojson` (as usual when `live`). */
export function layer(url, options = {}) { return new Layer(url, options) }

/** A source and its layers: circles for clusters and pins, counts, and what shares a place, spread. */
export class Layer {
  #map
  #shown = new Map()
  #hovered
  #drill
  #listeners = []

  constructor(url, options) {
    this.options = { ...DEFAULTS }
    this.fields = {}
    for (const [name, value] of Object.entries(options)) (name in DEFAULTS ? this.options : this.fields)[name] = value
    this.collection = new Collection(url, this.options.headers && { headers: this.options.headers })
    this.options.form ??= this.options.live ? 'geojson' : 'tiles'
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
    this.#map = map
    if (map.isStyleLoaded()) this.#begin()
    else map.once('load', () => this.#begin())
    return this
  }

  remove() {
    this.follower.close()
    this.#drill?.abort()
    for (const [type, listener, target] of this.#listeners) target ? this.#map.off(type, target, listener) : this.#map.off(type, listener)
    this.#listeners = []
    for (const { id } of this.#layers()) if (this.#map.getLayer(id)) this.#map.removeLayer(id)
    for (const id of [this.id, `${this.id}-spread`]) if (this.#map.getSource(id)) this.#map.removeSource(id)
  }

  /** Changes fields of the viewport request; undefined takes one back. */
  setFields(fields) {
    Object.assign(this.fields, fields)
    this.refresh()
    return this
  }

  /** Asks anew: for what the map shows, or where the tiles are now. */
  refresh() {
    this.gather()
    if (this.isTiled) this.#map.getSource(this.id)?.setUrl(this.#tiles())
    else this.follower.show(this.view())
  }

  /**
   * The viewport request of what the map shows now. Bounds of a turned or tilted map are a box around what is visible, so
   * the scale is told by the zoom, which turning doesn't change.
   */
  view() {
    const bounds = this.#map.getBounds()
    const zoom = Number(Math.min(Math.max(this.#map.getZoom() + ZOOM, 0), MOST_ZOOM).toFixed(3))
    const { clientWidth, clientHeight } = this.#map.getContainer()
    const most = MOST_SCREENS * Math.max(clientWidth, clientHeight) * 2 ** (20 - zoom)
    const shown = nearby([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()], this.#map.getCenter(), most)
    const bbox = askable(shown)
    return { marginFactor: 0.25, zoomStep: 1, ...this.fields, bbox: bbox.map(number => Number(number.toFixed(6))), zoom }
  }

  // MARK: Source and layers

  #tiles() { return this.collection.tileJSONURL(this.#tileFields()) }

  #tileFields() {
    const { titleProperty, subtitleLimit: _, marginFactor: __, limit: ___, keepApart: ____, fields: _____, ...fields } = this.fields
    if (titleProperty && !fields.properties) fields.properties = [titleProperty]
    return fields
  }

  #begin() {
    const map = this.#map
    map.addSource(this.id, this.isTiled
      ? { type: 'vector', url: this.#tiles() }
      : { type: 'geojson', data: NOTHING, promoteId: 'annotation_id' })
    map.addSource(`${this.id}-spread`, { type: 'geojson', data: NOTHING })
    for (const layer of this.#layers()) map.addLayer(layer)
    for (const name of ['clusters', 'pins']) {
      this.#on('click', event => this.#select(event.features[0]), `${this.id}-${name}`)
      this.#on('mousemove', event => this.#hover(event.features[0]), `${this.id}-${name}`)
      this.#on('mouseleave', () => this.#hover(), `${this.id}-${name}`)
    }
    this.#on('click', event => this.#select(event.features[0]), `${this.id}-spread-pins`)
    this.#on('zoomstart', () => this.gather())
    if (this.isTiled) return
    this.#on('moveend', () => this.follower.show(this.view()))
    this.follower.show(this.view())
  }

  #on(type, listener, target) {
    this.#listeners.push([type, listener, target])
    if (target) this.#map.on(type, target, listener)
    else this.#map.on(type, listener)
  }

  #layers() {
    const from = { source: this.id, ...(this.isTiled && { 'source-layer': this.collection.id }) }
    const isHovered = ['boolean', ['feature-state', 'hover'], false]
    const circle = radius => ({
      'circle-color': this.options.color, 'circle-radius': radius, 'circle-stroke-color': '#fff',
      'circle-stroke-width': ['case', isHovered, 4, 2],
    })
    // The diameter of a circle in the other clients, 26 + 8·log10(count).
    const size = ['+', 13, ['*', 4, ['log10', ['to-number', ['get', 'point_count']]]]]
    const isCluster = ['==', ['get', 'cluster'], true]
    const layers = [
      { id: `${this.id}-legs`, type: 'line', source: `${this.id}-spread`, paint: { 'line-color': this.options.color, 'line-width': 1.5 } },
      { id: `${this.id}-pins`, type: 'circle', ...from, filter: ['!', isCluster], paint: circle(7) },
      { id: `${this.id}-clusters`, type: 'circle', ...from, filter: isCluster, paint: circle(size) },
      { id: `${this.id}-spread-pins`, type: 'circle', source: `${this.id}-spread`, filter: ['==', ['geometry-type'], 'Point'], paint: circle(7) },
    ]
    // Text needs glyphs, which a style may be without.
    if (this.options.text ?? Boolean(this.#map.getStyle().glyphs)) {
      layers.push({
        id: `${this.id}-counts`, type: 'symbol', ...from, filter: isCluster, paint: { 'text-color': '#fff' },
        layout: { 'text-field': ['to-string', ['get', 'point_count_abbreviated']], 'text-size': 12, 'text-allow-overlap': true },
      })
    }
    return layers
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

  #select(feature) {
    if (this.options.onSelect?.(feature) === false) return
    if (feature.properties.cluster === true) this.open(feature.properties.cluster_id, feature.geometry.coordinates)
  }

  /** Goes to where a cluster comes apart; spreads what no zoom tells apart. */
  async open(id, centre) {
    this.#drill?.abort()
    const { signal } = (this.#drill = new AbortController())
    try {
      const view = drilldown(this.isTiled ? this.#tileFields() : this.view())
      const { expansionZoom } = await this.collection.annotation(id, view, { signal })
      const isApart = expansionZoom !== null && expansionZoom - ZOOM <= this.#map.getMaxZoom()
      if (isApart && this.options.zoomOnClick) this.#map.easeTo({ center: centre, zoom: Math.max(expansionZoom - ZOOM, this.#map.getZoom() + 0.5) })
      if (!isApart && this.options.spreadOnClick) await this.#spread(id, centre, view, signal)
    } catch (error) {
      if (error.name !== 'AbortError') this.options.onError?.(error)
    }
  }

  async #spread(id, centre, { filter, ids, datetime, properties, ...view }, signal) {
    const rest = view.method ? view : {}
    const query = { ...rest, filter, ids, 'filter-lang': view['filter-lang'], datetime, properties, limit: this.options.mostSpread }
    const { features } = await this.collection.features(id, query, { signal })
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
  gather() { this.#map.getSource(`${this.id}-spread`)?.setData(NOTHING) }
}

/** The properties of a pin: its feature's own, without those named like a mark, and its id. */
function own(feature) {
  if (!feature) return {}
  const properties = Object.entries(feature.properties ?? {}).filter(([name]) => !MARKS.includes(name))
  return { ...Object.fromEntries(properties), feature_id: feature.id }
}
