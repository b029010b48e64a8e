// Types of maplibre.js, over those of MapLibre GL JS.

import type { Map, MapGeoJSONFeature } from 'maplibre-gl'
import type { Collection, Head, View, ViewOptions } from './pincluster.js'

/**
 * `zoomStep` is 1 unless it is given: as with Supercluster, a pinch within a whole zoom reshuffles nothing, and cells are up
 * to twice as wide on screen as `cellSize`. A smaller one follows the zoom more closely. Tiles have whole zooms anyway.
 */
export interface LayerOptions extends ViewOptions {
  /** The id of the source, and the beginning of those of the layers. */
  id?: string
  /** Vector tiles as usual; GeoJSON as usual if `live`. */
  form?: 'tiles' | 'geojson'
  live?: boolean
  color?: string
  /** Whether counts are drawn: as usual, if the style has glyphs. */
  text?: boolean
  zoomOnClick?: boolean
  spreadOnClick?: boolean
  mostSpread?: number
  /** Its properties tell what it is: `cluster` (true) and `cluster_id`, or `feature_id`, the id of a pin's feature. */
  onSelect?: (feature: MapGeoJSONFeature) => boolean | void
  onView?: (head: Head, cause: { type: string; milliseconds?: number }) => void
  onError?: (error: Error) => void
  headers?: Record<string, string>
}

export class Layer {
  constructor(url: string | URL, options?: LayerOptions)
  readonly id: string
  readonly collection: Collection
  readonly fields: ViewOptions
  readonly isTiled: boolean
  addTo(map: Map): this
  remove(): void
  setFields(fields: ViewOptions): this
  refresh(): void
  gather(): void
  view(): View
  open(id: string, centre: [longitude: number, latitude: number]): Promise<void>
}

/** The layers of a collection, by its URL. */
export function layer(url: string | URL, options?: LayerOptions): Layer
