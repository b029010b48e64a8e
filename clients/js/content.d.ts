// Types of content.js, which the layers export.

import type { Annotation } from './pincluster.js'

/** What a marker or a popup shows: text, which is never read as HTML, or a node; nothing for the usual look, or for no popup. */
export type Content = string | Node | null | undefined

/** What a popup shows of a pin: the properties of these names as a table, or what a function makes of it, which may take its time. */
export type Popup = string[] | ((pin: Annotation) => Content | Promise<Content>)

/**
 * The element of a template, or a fragment of several: html`<b title="${name}">${name}</b>`. Values are texts, nodes or lists of
 * these, and never become markup. Throws an Error where a value would be code, as in `<script>` or `onclick`.
 */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Node
