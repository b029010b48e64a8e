// Types of leaflet.js, over those of Leaflet (@types/leaflet).

import type * as Leaflet from 'leaflet'
import type { Annotation, Collection, Head, PinclusterError, View, ViewOptions } from './pincluster.js'

export interface LayerOptions extends ViewOptions {
  /** Follows changes. */
  live?: boolean
  /** Keeps markers from one zoom to the next where they show the same features. */
  reuse?: boolean
  /** Goes to where a cluster comes apart when it is clicked. */
  zoomOnClick?: boolean
  /** Spreads what no zoom tells apart, at most so many features. */
  spreadOnClick?: boolean
  mostSpread?: number
  /** What lies over the edges of the map, in points: a cluster that is clicked is shown beside it. */
  padding?: () => [topLeft: [x: number, y: number], bottomRight: [x: number, y: number]]
  /** Shows the hull of a cluster under the pointer. */
  hulls?: boolean
  /** The colour of an annotation, and the slices of its pie. */
  color?: (annotation: Annotation) => string | undefined
  pie?: (annotation: Annotation) => { count: number; color: string }[] | null
  /** What a screen reader says. */
  describe?: (annotation: Annotation) => string
  /** Is told of a click; false keeps the layer from doing anything. */
  onSelect?: (annotation: Annotation, marker: Leaflet.Marker) => boolean | void
  headers?: Record<string, string>
  attribution?: string
  /** Leaflet, if it isn't the global L. */
  leaflet?: typeof Leaflet
}

/** Fires `view` ({ head, cause, shown }), `status` ({ status }), `problem` ({ error }), `select` ({ annotation, marker }) and `spread` ({ annotation, shown, latlng, radius }). */
export interface PinclusterLayer extends Leaflet.Layer {
  readonly collection: Collection
  readonly fields: ViewOptions
  setFields(fields: { [Field in keyof ViewOptions]: ViewOptions[Field] | null }): this
  setLive(live: boolean): this
  refresh(): this
  repaint(): this
  gather(): this
  view(): View
  annotations(): Annotation[]
  head(): Head | null
  /** The element of an annotation on screen, by its id. */
  element(id: string): HTMLElement | undefined
  /** The width of an annotation's marker in points, and where it is drawn: circles stay within their cells. */
  sizeOf(annotation: Annotation): number
  latLngOf(annotation: Annotation): Leaflet.LatLng
  /** Gives the focus to the marker nearest to a place; false if there is none on the map. */
  focusNear(place: Leaflet.LatLng): boolean
  open(annotation: Annotation): Promise<void>
}

export interface ProblemEvent extends Leaflet.LeafletEvent { error: PinclusterError | Error }

/** A layer of a collection, by its URL. */
export function layer(url: string | URL, options?: LayerOptions): PinclusterLayer
