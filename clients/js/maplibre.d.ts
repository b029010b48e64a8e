// Types of maplibre.js, over those of MapLibre GL JS.

import type { LayerSpecification, Map, MapGeoJSONFeature, Popup as MapPopup } from 'maplibre-gl'
import type { Popup } from './content.js'
import type { Annotation, Collection, Head, HeaderFields, View, ViewOptions } from './pincluster.js'

export { html } from './content.js'

/** What is to differ in one of the layers. With another `type` nothing of the usual `paint` is left; a `filter` holds beside the usual one. */
export type LayerChange = Partial<Pick<LayerSpecification, 'type' | 'minzoom' | 'maxzoom'>> & { filter?: unknown; paint?: object; layout?: object }

/**
 * `zoomStep` is 1 unless it is given: as with Supercluster, a pinch within a whole zoom reshuffles nothing, and cells are up
 * to twice as wide on screen as `cellSize`. A smaller one follows the zoom more closely. Tiles have whole zooms anyway.
 */
export interface LayerOptions extends ViewOptions {
  /** The id of the source, and the beginning of those of the layers: `pincluster-` and the collection's as usual, and a number if another layer on the map has that. */
  id?: string
  /** Vector tiles as usual; GeoJSON as usual if `live`. */
  form?: 'tiles' | 'geojson'
  live?: boolean
  color?: string
  /** Whether counts are drawn: yes, as usual. They are images, and need neither glyphs nor a font of the style. */
  text?: boolean
  textColor?: string
  /** Changes of the layers by the ends of their ids. A `text-field` takes the place of a count's image; it needs `glyphs` in the style. */
  layers?: Partial<Record<'clusters' | 'counts' | 'pins' | 'spread-pins' | 'legs', LayerChange>>
  /** What a popup shows of a pin that is clicked. Of a tile, values that are neither texts, numbers nor booleans are JSON. */
  popup?: Popup
  /** What a screen reader says of a popup. */
  describe?: (pin: Annotation) => string
  zoomOnClick?: boolean
  spreadOnClick?: boolean
  mostSpread?: number
  /** Its properties tell what it is: `cluster` (true) and `cluster_id`, or `feature_id`, the id of a pin's feature. */
  onSelect?: (feature: MapGeoJSONFeature) => boolean | void
  onView?: (head: Head, cause: { type: string; milliseconds?: number }) => void
  /** Is told what is refused or fails, also of tiles: a filter that is wrong, a collection that isn't there. */
  onError?: (error: Error) => void
  headers?: HeaderFields
  attribution?: string
  /** The module of MapLibre GL JS, for popups, if it isn't the global maplibregl. */
  maplibre?: { Popup: typeof MapPopup; getVersion?(): string }
}

export class Layer {
  constructor(url: string | URL, options?: LayerOptions)
  /** Known for sure once it is on a map. */
  readonly id: string
  readonly collection: Collection
  readonly fields: ViewOptions
  readonly isTiled: boolean
  addTo(map: Map): this
  remove(): void
  /** Changes fields of the viewport request, and asks anew; null takes one back. */
  setFields(fields: { [Field in keyof ViewOptions]: ViewOptions[Field] | null }): this
  refresh(): void
  gather(): void
  view(): View
  open(id: string, centre: [longitude: number, latitude: number]): Promise<void>
}

/** The layers of a collection, by its URL. */
export function layer(url: string | URL, options?: LayerOptions): Layer
