// A Leaflet layer of clusters and pins.
//
//   import * as pincluster from './leaflet.js'
//   pincluster.layer('http://127.0.0.1:8080/collections/cities', { titleProperty: 'name' }).addTo(map)
//
// Markers are kept by id: from view to view and with live changes they move, and come and go softly.

import { Places } from './apart.js'
import { counted, face, isCalm, paint, rootOf, style } from './face.js'
import { Follower } from './follow.js'
import { hulls } from './leaflet-hulls.js'
import { keyboard } from './leaflet-keys.js'
import { popups } from './leaflet-popup.js'
import { askable, askableZoom, boundsOf, near } from './mercator.js'
import { Collection } from './pincluster.js'
import { change, given } from './query.js'
import { spread } from './spread.js'
import { drilldown, paging } from './view.js'

export { html } from './content.js'

// Options of the layer; all others are fields of the viewport request.
const DEFAULTS = {
  live: false, reuse: true, zoomOnClick: true, spreadOnClick: true, mostSpread: 100, hulls: true, padding: undefined,
  color: undefined, pie: undefined, icon: undefined, html: undefined, popup: undefined, describe: undefined, onSelect: undefined,
  headers: undefined, attribution: undefined,
}
const LEAVING = 190
const GLIDING = 280
// Where more than so many come and go at once, they don't fade: that would take longer than it shows.
const MOST_FADING = 80
// A shorter way, in points, is gone at once: nobody sees more of it, and each that glides is a layer of its own.
const LEAST_GLIDE = 3

let Layer

/** A layer of a collection, by its URL. */
export function layer(url, options = {}) {
  Layer ??= layerClass(options.leaflet ?? globalThis.L)
  return new Layer(url, options)
}

function layerClass(L) {
  // The element is that of the annotation; Leaflet moves it.
  const Icon = L.Icon.extend({
    createIcon() { return this.options.element },
    createShadow() { return null },
  })

  return L.Layer.extend({
    initialize(url, { leaflet: _, ...options } = {}) {
      const own = { ...DEFAULTS }
      this.fields = {}
      for (const [name, value] of Object.entries(given(options))) (name in DEFAULTS ? own : this.fields)[name] = value
      L.setOptions(this, own)
      this.collection = new Collection(url, own.headers && { headers: own.headers })
      this._markers = new Map()
      this._leaving = new Map()
      this._hulls = new Map()
      this._places = new Places()
      this._follower = new Follower(this.collection, {
        live: own.live, reuse: own.reuse,
        onChange: (difference, head, cause) => this._apply(difference, head, cause),
        onStatus: status => this.fire('status', { status }),
        onError: error => this.fire('problem', { error }),
      })
    },

    onAdd(map) {
      style(rootOf(map.getContainer()))
      this._pane = map.getPane('markerPane')
      this._onKey = event => this._key(event)
      this._onFocus = event => this._mark(this._markerOf(event.target.closest('.pincluster-mark')))
      this._pane.addEventListener('keydown', this._onKey)
      this._pane.addEventListener('focusin', this._onFocus)
      map.on('moveend', this.refresh, this)
      map.on('zoomstart click', this.gather, this)
      if (map.getZoom() !== undefined) this.refresh()
      // Work that takes long the first time is done while the service answers.
      counted(0)
    },

    onRemove(map) {
      map.off('moveend', this.refresh, this)
      map.off('zoomstart click', this.gather, this)
      this._pane.removeEventListener('keydown', this._onKey)
      this._pane.removeEventListener('focusin', this._onFocus)
      this._follower.close()
      this.gather()
      this._hideHull()
      this._closeCard()
      for (const marker of [...this._markers.values(), ...this._leaving.values()]) marker.remove()
      this._markers.clear()
      this._leaving.clear()
      this._follower.screen.clear()
    },

    /** Changes fields of the viewport request; null takes one back. */
    setFields(fields) {
      change(this.fields, fields)
      this._hideHull()
      this._hulls.clear()
      this.gather()
      return this.refresh()
    },

    /** Follows changes, or stops to. */
    setLive(live) {
      this._follower.set({ live })
      return this.refresh()
    },

    /** Draws all markers again, for other colours or icons. */
    repaint() {
      for (const [id, marker] of this._markers) this._paint(marker, { ...this._follower.screen.annotations.get(id) })
      return this
    },

    /** Asks for what the map shows now. */
    refresh() {
      const map = this._map
      if (!map || !map.getSize().x || !map.getSize().y) return this
      this._follower.show(this.view())
      return this
    },

    /** The viewport request of what the map shows now. */
    view() {
      const bounds = this._map.getBounds()
      const bbox = askable([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()])
      return { marginFactor: 0.25, zoomStep: 1, ...this.fields, bbox: bbox.map(number => Number(number.toFixed(6))), zoom: askableZoom(this._map.getZoom()) }
    },

    /** The annotations on screen, and the head of their answer. */
    annotations() { return [...this._follower.screen.annotations.values()] },
    head() { return this._follower.head },
    /** The element of an annotation on screen, by its id. */
    element(id) { return this._markers.get(id)?.getElement() },

    /** The width that an annotation is drawn with, in points. */
    sizeOf(annotation) { return this._places.sizeOf(annotation) },

    /** Where an annotation is drawn: circles stay within their cells, so that none covers another one's count. */
    latLngOf(annotation) { return this._latLng(this._places.coordinateOf(annotation)) },

    // MARK: Markers

    _apply({ removed, kept, added }, head, cause) {
      this._renewHull([...removed, ...kept.map(([old]) => old)])
      // The focus, which goes from there to the pin, goes on with those of other pins.
      this._closeCard(removed.map(({ id }) => this._markers.get(id)))
      const focused = this._pane.contains(document.activeElement) ? document.activeElement : null
      const place = focused && this._placeOf(focused)
      const fades = removed.length + added.length <= MOST_FADING
      for (const { id } of removed) this._dismiss(id, fades)
      // The new id of one may be the old one of another.
      const moves = kept.map(([old, annotation]) => [this._markers.get(old.id), old.id, annotation])
      for (const [, id] of moves) this._markers.delete(id)
      // Unchanged markers may have another width in their cells, and others beside them.
      // The head tells the grid, but cells of groups may have widths of their own.
      const differ = this._places.update(this.annotations(), this.fields.groups ? null : this.head(), this._map.getZoom())
      // The centre may be in another copy of the world now.
      for (const marker of this._markers.values()) differ ? this._show(marker, marker.annotation) : this._move(marker, marker.annotation)
      for (const [marker, , annotation] of moves) {
        if (!marker) continue
        this._markers.set(annotation.id, marker)
        this._show(marker, annotation)
      }
      for (const annotation of added) this._add(annotation, fades)
      if (this._spider && !(this._markers.get(this._spider.id)?.annotation.count > 1)) this.gather()
      else if (this._spider && cause.type === 'live') this._renewSpread()
      if (place && !(this._pane.contains(document.activeElement) && !focused.classList.contains('pincluster-leaving'))) {
        this._nearest(place)?.focus({ preventScroll: true })
      }
      if (!this._current?.isConnected) this._mark([...this._markers.values()][0])
      this.fire('view', { head, cause, shown: this._markers.size })
    },

    _latLng({ latitude, longitude }) {
      return L.latLng(latitude, near(longitude, this._map.getCenter().lng))
    },

    _add(annotation, fades) {
      const back = this._leaving.get(annotation.id)
      if (back) {
        clearTimeout(back.leaving)
        this._leaving.delete(annotation.id)
        back.getElement().classList.remove('pincluster-leaving')
        this._markers.set(annotation.id, back)
        this._show(back, annotation)
        return
      }
      const marker = this._marker(annotation, this.latLngOf(annotation), fades)
      marker.on('mouseover', () => this._hover(marker))
      marker.on('mouseout', () => this._hideHull())
      this._markers.set(annotation.id, marker)
    },

    _marker(annotation, latLng, fades = true) {
      const element = face(annotation, this._look(annotation))
      element.classList.toggle('pincluster-new', fades)
      const marker = L.marker(latLng, {
        icon: new Icon({ element }), keyboard: false, riseOnHover: true, bubblingMouseEvents: false,
      })
      marker.annotation = annotation
      marker.on('click', () => this._select(marker))
      return marker.addTo(this._map)
    },

    _show(marker, annotation) {
      this._move(marker, annotation)
      this._paint(marker, annotation)
    },

    _paint(marker, annotation) {
      const isNew = marker.annotation !== annotation
      marker.annotation = annotation
      paint(marker.getElement(), annotation, this._look(annotation))
      if (isNew) this._renewCard(marker)
    },

    _look(of) {
      const html = this.options.icon ? (annotation, element) => this._iconOf(annotation, element) : this.options.html
      return { ...this.options, html, titled: Boolean(this.fields.titleProperty), size: this.sizeOf(of) }
    },

    // The element of a Leaflet icon, which an icon of the same kind takes over; its anchor is at the place.
    _iconOf(annotation, element) {
      const icon = this.options.icon(annotation)
      if (!icon) return undefined
      const { iconSize, iconAnchor = L.point(iconSize, true)?.divideBy(2) } = icon.options
      const anchor = L.point(iconAnchor)
      element.style.setProperty('--pincluster-anchor', anchor ? `${-anchor.x}px ${-anchor.y}px` : '0 0')
      return icon.createIcon(element.querySelector('.pincluster-content > .leaflet-marker-icon'))
    },

    _move(marker, annotation) {
      const latLng = this.latLngOf(annotation)
      if (latLng.equals(marker.getLatLng(), 1e-9)) return
      const [element, place] = [marker.getElement(), of => this._map.latLngToLayerPoint(of)]
      // To another copy of the world it doesn't glide.
      const isJump = Math.abs(latLng.lng - marker.getLatLng().lng) > 180
      if (isJump && this._spider?.id === annotation.id) this.gather()
      if (isJump) element.classList.remove('pincluster-gliding')
      else if (place(latLng).distanceTo(place(marker.getLatLng())) >= LEAST_GLIDE) {
        element.classList.add('pincluster-gliding')
        clearTimeout(marker.gliding)
        marker.gliding = setTimeout(() => element.classList.remove('pincluster-gliding'), GLIDING)
      }
      marker.setLatLng(latLng)
    },

    _dismiss(id, fades) {
      const marker = this._markers.get(id)
      if (!marker) return
      this._markers.delete(id)
      if (!fades) return marker.remove()
      marker.getElement().classList.add('pincluster-leaving')
      marker.leaving = setTimeout(() => {
        this._leaving.delete(id)
        marker.remove()
      }, LEAVING)
      this._leaving.set(id, marker)
    },

    // MARK: Looking into an annotation

    _select(marker) {
      const { annotation } = marker
      if (this.options.onSelect?.(annotation, marker) === false) return
      this.fire('select', { annotation, marker })
      if (annotation.count > 1) {
        this._closeCard()
        this.open(annotation)
      } else if (this.options.popup) this._openCard(marker)
    },

    /** Goes to where a cluster comes apart; spreads what no zoom tells apart. */
    async open(annotation) {
      this._drill?.abort()
      const { signal } = (this._drill = new AbortController())
      try {
        const view = drilldown(this._follower.view, annotation)
        const { expansionZoom, visibleMapRect } = await this.collection.annotation(annotation.id, view, { signal })
        const most = Number.isFinite(this._map.getMaxZoom()) ? this._map.getMaxZoom() : 24
        const isApart = expansionZoom !== null && expansionZoom <= most
        if (isApart && this.options.zoomOnClick) return this._zoom(annotation, expansionZoom, visibleMapRect, most)
        if (!isApart && this.options.spreadOnClick) await this._spread(annotation, view, signal)
      } catch (error) {
        if (error.name !== 'AbortError') this.fire('problem', { error })
      }
    },

    _zoom(annotation, expansionZoom, rect, most) {
      const [west, south, east, north] = boundsOf(rect)
      const centre = this._latLng(annotation.coordinate)
      const shift = near((west + east) / 2, centre.lng) - (west + east) / 2
      const bounds = L.latLngBounds([south, west + shift], [north, east + shift])
      const map = this._map
      const [topLeft, bottomRight] = (this.options.padding?.() ?? [[0, 0], [0, 0]]).map(point => L.point(point))
      const fitting = map.getBoundsZoom(bounds, false, topLeft.add(bottomRight))
      const zoom = Math.min(Math.max(fitting, expansionZoom, map.getZoom() + 1), most)
      const middle = map.project(zoom > fitting ? centre : bounds.getCenter(), zoom)
      map.setView(map.unproject(middle.add(bottomRight.subtract(topLeft).divideBy(2)), zoom), zoom, isCalm() ? { animate: false } : {})
    },

    async _spread(annotation, view, signal) {
      if (this._spider?.id === annotation.id) return this.gather()
      const features = await this._featuresOf(annotation, view, signal)
      if (this._markers.has(annotation.id)) this._lay(annotation, features)
    },

    async _featuresOf({ id }, view, signal) {
      const { features } = await this.collection.features(id, { ...paging(view), limit: this.options.mostSpread }, { signal })
      signal.throwIfAborted()
      return features
    },

    // Spread pins change with their features; where some come or go, all get new places.
    async _renewSpread() {
      this._renewal?.abort()
      const { signal } = (this._renewal = new AbortController())
      try {
        const { annotation } = this._markers.get(this._spider.id)
        const features = await this._featuresOf(annotation, drilldown(this._follower.view, annotation), signal)
        const pins = new Map(this._spider.parts.filter(part => part.annotation).map(pin => [pin.annotation.id, pin]))
        const changes = features.map(feature => this._pinOf(feature)).map(now => [pins.get(now.id), now])
        if (changes.length !== pins.size || !changes.every(([pin]) => pin)) return this._lay(annotation, features, false)
        for (const [pin, now] of changes) if (JSON.stringify(now) !== JSON.stringify(pin.annotation)) this._paint(pin, now)
      } catch (error) {
        // The cluster may have gone, of which an event will tell.
        if (error.name !== 'AbortError' && error.status !== 404) this.fire('problem', { error })
      }
    },

    _lay(annotation, features, isNew = true) {
      const { activeElement, body } = document
      const hadFocus = isNew ? this._pane.contains(activeElement) || activeElement === body : activeElement?.closest('.pincluster-spread')
      this.gather()
      const centre = this.latLngOf(annotation)
      const point = this._map.latLngToLayerPoint(centre)
      const places = spread(features.length, this.fields.pinLayout)
      const parts = places.map(([x, y], i) => {
        const latLng = this._map.layerPointToLatLng(point.add([x, y]))
        const leg = L.polyline([centre, latLng], { className: 'pincluster-leg', weight: 1.5, opacity: 0.5, color: 'currentColor', interactive: false })
        const pin = this._marker(this._pinOf(features[i]), latLng).setZIndexOffset(1e5)
        pin.getElement().classList.add('pincluster-spread')
        return [pin, leg.addTo(this._map)]
      })
      this._spider = { id: annotation.id, parts: parts.flat() }
      this._markers.get(annotation.id)?.getElement().classList.add('pincluster-open')
      this._pane.classList.add('pincluster-spreading')
      // Unless the page has given the focus to something else, such as a list of the same features.
      if (hadFocus) parts[0]?.[0].getElement().focus({ preventScroll: true })
      const radius = Math.max(...places.map(place => Math.hypot(...place)))
      if (isNew) this.fire('spread', { annotation, shown: features.length, latlng: centre, radius })
    },

    _pinOf({ id, geometry, properties }) {
      const [longitude, latitude] = geometry.coordinates
      const title = properties[this.fields.titleProperty]
      return {
        id: `feature ${id}`, coordinate: { latitude, longitude }, count: 1, isCluster: false,
        title: title === undefined || title === null ? String(id) : String(title), feature: { id, properties },
      }
    },

    /** Takes spread pins back. */
    gather() {
      this._drill?.abort()
      this._renewal?.abort()
      const spider = this._spider
      if (!spider) return this
      this._spider = null
      this._closeCard(spider.parts)
      const hadFocus = this._pane.contains(document.activeElement)
      for (const part of spider.parts) part.remove()
      this._pane.classList.remove('pincluster-spreading')
      const element = this._markers.get(spider.id)?.getElement()
      element?.classList.remove('pincluster-open')
      if (hadFocus && element && !this._pane.contains(document.activeElement)) element.focus({ preventScroll: true })
      return this
    },

    ...hulls(L),
    ...keyboard,
    ...popups(L),
  })
}
