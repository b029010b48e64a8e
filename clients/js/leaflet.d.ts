// Types of leaflet.js, over those of Leaflet (@types/leaflet).

import type * as Leaflet from 'leaflet'
import type { Content, Popup } from './content.js'
import type { Annotation, Collection, Head, HeaderFields, PinclusterError, View, ViewOptions } from './pincluster.js'

export { html } from './content.js'

export interface LayerOptions extends ViewOptions {
  /** Follows changes while the page is seen. */
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
  /**
   * What to draw in place of a circle, as `iconCreateFunction` does: a Leaflet icon, whose `html`, if it is a text, is HTML, as
   * always in Leaflet; nothing for the usual look. Asked again when the annotation has changed; the marker and an icon's element stay.
   */
  icon?: (annotation: Annotation) => Leaflet.Icon | Leaflet.DivIcon | null | undefined
  /** The same as text or an element, centred on the place. */
  html?: (annotation: Annotation) => Content
  /** What a popup shows of a pin that is clicked, or chosen with the Enter key. */
  popup?: Popup
  /** What a screen reader says. */
  describe?: (annotation: Annotation) => string
  /** Is told of a click; false keeps the layer from doing anything. */
  onSelect?: (annotation: Annotation, marker: Leaflet.Marker) => boolean | void
  headers?: HeaderFields
  attribution?: string
  /** Leaflet, if it isn't the global L. */
  leaflet?: typeof Leaflet
}

/** Fires `view` ({ head, cause, shown }), `status` ({ status }), `problem` ({ error }), `select` ({ annotation, marker }) and `spread` ({ annotation, shown, latlng, radius }). */
export type PinclusterLayer = LayerMethods & Leaflet.Layer

export interface LayerMethods {
  on<Type extends keyof LayerEvents>(type: Type, handler: (event: LayerEvents[Type]) => void, context?: unknown): this
  readonly collection: Collection
  readonly fields: ViewOptions
  /** Changes fields of the viewport request, and asks anew; null takes one back. */
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

export interface StatusEvent extends Leaflet.LeafletEvent { status: 'loading' | 'idle' | 'live' | 'reconnecting' | 'failed' }

export interface ViewEvent extends Leaflet.LeafletEvent { head: Head; cause: { type: 'view' | 'live' | 'gone'; milliseconds?: number }; shown: number }

export interface SelectEvent extends Leaflet.LeafletEvent { annotation: Annotation; marker: Leaflet.Marker }

export interface SpreadEvent extends Leaflet.LeafletEvent { annotation: Annotation; shown: number; latlng: Leaflet.LatLng; radius: number }

export interface LayerEvents { view: ViewEvent; status: StatusEvent; problem: ProblemEvent; select: SelectEvent; spread: SpreadEvent }

export interface ProblemEvent extends Leaflet.LeafletEvent { error: PinclusterError | Error }

/** A layer of a collection, by its URL. */
export function layer(url: string | URL, options?: LayerOptions): PinclusterLayer
