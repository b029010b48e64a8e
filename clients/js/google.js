// Clusters and pins on a Google map, in the manner of @googlemaps/markerclusterer.
//
//   import { MarkerClusterer } from './google.js'
//   new MarkerClusterer({ map, url: 'http://127.0.0.1:8080/collections/cities', titleProperty: 'name' })
//
// The map needs a mapId, and the libraries `maps` and `marker` loaded.

import { Card, html } from './content.js'
import { cellWidth, descriptionOf, face, paint, placeOf, style } from './face.js'
import { Follower } from './follow.js'
import { askable, askableZoom, boundsOf } from './mercator.js'
import { Collection } from './pincluster.js'
import { change, given } from './query.js'
import { drilldown, paging } from './view.js'

export { html } from './content.js'

// The most features of a place that are listed.
const MOST_LISTED = 100

// Options of the clusterer; all others are fields of the viewport request.
const DEFAULTS = {
  map: undefined, url: undefined, live: false, renderer: undefined, onClusterClick: undefined, onPinClick: undefined, onError: undefined,
  color: undefined, pie: undefined, html: undefined, popup: undefined, describe: undefined, headers: undefined, google: undefined,
}

/** Markers of a collection. A `renderer` has `render({ annotation, count, position }, stats, map)`, which makes a marker. */
export class MarkerClusterer {
  #google
  #markers = new Map()
  #listener
  #drill
  #card

  constructor(options) {
    this.options = { ...DEFAULTS }
    this.fields = {}
    for (const [name, value] of Object.entries(given(options))) (name in DEFAULTS ? this.options : this.fields)[name] = value
    this.#google = this.options.google ?? globalThis.google
    this.collection = new Collection(this.options.url, this.options.headers && { headers: this.options.headers })
    this.follower = new Follower(this.collection, {
      live: this.options.live,
      onChange: difference => this.#apply(difference),
      onError: error => this.options.onError?.(error),
    })
    style()
    if (this.options.map) this.setMap(this.options.map)
  }

  getMap() { return this.options.map }

  /** Shows markers on a map, or on none. */
  setMap(map) {
    this.#listener?.remove()
    this.#listener = null
    if (map !== this.options.map) this.clearMarkers()
    this.options.map = map
    if (!map) return
    // A map is idle once it has bounds, and after each movement.
    this.#listener = map.addListener('idle', () => this.render())
    if (map.getBounds()) this.render()
  }

  /** Changes fields of the viewport request; null takes one back. */
  setFields(fields) {
    change(this.fields, fields)
    this.render()
  }

  /** Asks for what the map shows now. */
  render() {
    const bounds = this.options.map?.getBounds()?.toJSON()
    if (!bounds) return
    const east = bounds.east < bounds.west ? bounds.east + 360 : bounds.east
    const bbox = askable([bounds.west, bounds.south, east, bounds.north])
    this.follower.show({ marginFactor: 0.25, zoomStep: 1, ...this.fields, bbox, zoom: askableZoom(this.options.map.getZoom()) })
  }

  /** Removes all markers. */
  clearMarkers() {
    this.follower.close()
    this.#drill?.abort()
    this.follower.screen.clear()
    this.#closeCard()
    for (const marker of this.#markers.values()) marker.map = null
    this.#markers.clear()
  }

  /** The markers on the map, by the ids of their annotations. */
  get markers() { return new Map(this.#markers) }

  #apply({ removed, kept, added }) {
    for (const { id } of removed) {
      const marker = this.#markers.get(id)
      if (marker && this.#card?.marker === marker) this.#closeCard()
      if (marker) marker.map = null
      this.#markers.delete(id)
    }
    // The new id of one may be the old one of another.
    const moves = kept.map(([old, annotation]) => [this.#markers.get(old.id), old.id, annotation])
    for (const [, id] of moves) this.#markers.delete(id)
    for (const [marker, , annotation] of moves) {
      if (!marker) continue
      if (this.options.renderer) {
        if (this.#card?.marker === marker) this.#closeCard()
        marker.map = null
        this.#add(annotation)
        continue
      }
      marker.annotation = annotation
      if (this.#card?.marker === marker && (annotation.count > 1 || !this.#card.card.show(annotation))) this.#closeCard()
      marker.position = this.#positionOf(annotation)
      marker.title = this.#nameOf(annotation)
      paint(marker.content, annotation, this.#look())
      this.#markers.set(annotation.id, marker)
    }
    for (const annotation of added) this.#add(annotation)
  }

  #add(annotation) {
    const marker = this.options.renderer ? this.#render(annotation) : this.#marker(annotation)
    marker.annotation = annotation
    marker.addEventListener('gmp-click', () => this.#select(marker))
    this.#markers.set(annotation.id, marker)
  }

  #marker(annotation) {
    const content = face(annotation, this.#look())
    // The marker is what has the focus, and a name.
    content.removeAttribute('role')
    content.removeAttribute('tabindex')
    content.classList.add('pincluster-centred')
    const { AdvancedMarkerElement } = this.#google.maps.marker
    return new AdvancedMarkerElement({
      map: this.options.map, position: this.#positionOf(annotation), content, title: this.#nameOf(annotation), gmpClickable: true,
    })
  }

  #render(annotation) {
    const counts = [...this.follower.screen.annotations.values()].map(({ count }) => count)
    const stats = { markers: { sum: counts.reduce((sum, count) => sum + count, 0) }, clusters: { count: counts.length, markers: { max: Math.max(0, ...counts) } } }
    const marker = this.options.renderer.render({ annotation, count: annotation.count, position: this.#positionOf(annotation) }, stats, this.options.map)
    marker.map ??= this.options.map
    return marker
  }

  // The head that tells the grid. Cells of groups may have widths of their own.
  get #grid() { return this.fields.groups ? null : this.follower.head }

  #look() { return { ...this.options, cell: cellWidth(this.#grid, this.options.map?.getZoom()) } }

  #positionOf(annotation) {
    const { latitude, longitude } = placeOf(annotation, this.#grid, this.options.map?.getZoom())
    return { lat: latitude, lng: longitude }
  }

  #nameOf(annotation) { return (this.options.describe ?? descriptionOf)(annotation) }

  #select(marker) {
    const { annotation } = marker
    if (annotation.count === 1) return this.options.onPinClick?.(annotation) !== false && this.#openCard(marker)
    if (this.options.onClusterClick) return this.options.onClusterClick(annotation, this.options.map)
    this.open(annotation)
  }

  // Google's window takes the focus and gives it back, and Escape closes it.
  #openCard(marker, popup = this.options.popup) {
    const isOpen = this.#card?.marker === marker
    this.#closeCard()
    if (isOpen || !popup) return
    const card = new Card({
      popup, describe: annotation => this.#nameOf(annotation), titled: Boolean(this.fields.titleProperty),
      onClose: () => this.#card?.card === card && this.#closeCard(), onChange() {}, onError: error => this.options.onError?.(error),
    })
    if (!card.show(marker.annotation)) return
    const window = new this.#google.maps.InfoWindow({ content: card.element, ariaLabel: card.element.ariaLabel })
    this.#card = { marker, card, window }
    // The first is younger than many versions of the API.
    for (const type of ['close', 'closeclick']) window.addListener(type, () => { if (this.#card?.window === window) this.#card = null })
    window.open({ map: this.options.map, anchor: marker, shouldFocus: true })
  }

  #closeCard() {
    this.#card?.window.close()
    this.#card = null
  }

  /** Goes to where a cluster comes apart; lists the features that no zoom tells apart. */
  async open(annotation) {
    this.#drill?.abort()
    const { signal } = (this.#drill = new AbortController())
    try {
      const view = drilldown(this.follower.view, annotation)
      const { expansionZoom, visibleMapRect } = await this.collection.annotation(annotation.id, view, { signal })
      if (expansionZoom === null) return await this.#list(annotation, view, signal)
      const [west, south, east, north] = boundsOf(visibleMapRect)
      this.options.map.fitBounds({ west, south, east, north })
    } catch (error) {
      if (error.name !== 'AbortError') this.options.onError?.(error)
    }
  }

  async #list({ id }, view, signal) {
    const { features } = await this.collection.features(id, { ...paging(view), limit: MOST_LISTED }, { signal })
    signal.throwIfAborted()
    const names = features.map(feature => String(feature.properties[this.fields.titleProperty] ?? feature.id))
    const marker = this.#markers.get(id)
    if (marker) this.#openCard(marker, () => html`<ul>${names.map(name => html`<li>${name}</li>`)}</ul>`)
  }
}
