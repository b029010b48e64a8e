// Server-Sent Events by fetch, which Node has, too, and which tells why a stream was refused.

import { pauseAbout } from './pause.js'
import { isTemporary, PinclusterError } from './problem.js'

const LONGEST_PAUSE = 30_000
// The service says every 15 seconds that a connection lives.
const SILENCE = 45_000

/** The header fields of every request of a client: those that are given, or what a function answers, which may take its time. */
export const headersOf = async ({ options: { headers } }) => (typeof headers === 'function' ? headers() : headers)

/** The events of a stream, across reconnections. */
export async function* events(client, { method, url, body }, { signal, lastID, onConnection }) {
  const state = { lastID: lastID === undefined ? undefined : String(lastID), retry: 2000, failures: 0 }
  for (;;) {
    let refusal
    const { failures } = state
    const connection = new AbortController()
    const stop = () => connection.abort(signal.reason)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      signal?.throwIfAborted()
      const headers = { Accept: 'text/event-stream', ...await heard(connection, headersOf(client)) }
      if (state.lastID !== undefined) headers['Last-Event-ID'] = state.lastID
      const init = { method, headers, signal: connection.signal, cache: 'no-store' }
      if (body) Object.assign(init, { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } })
      const response = await heard(connection, client.options.fetch(url, init))
      if (!response.ok) throw await heard(connection, PinclusterError.of(response))
      onConnection?.(true)
      for await (const event of read(response.body, state, connection)) {
        const problem = event.type === 'problem' && new PinclusterError(JSON.parse(event.data))
        if (problem && isTemporary(problem)) {
          // A stream that ends so has failed, whatever came before.
          state.failures = failures
          throw problem
        }
        yield event
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      // A final refusal is not repeated.
      if (!isTemporary(error)) throw error
      refusal = error
    } finally {
      signal?.removeEventListener('abort', stop)
      connection.abort()
    }
    onConnection?.(false)
    await pauseAbout(Math.min(state.retry * 2 ** state.failures++, LONGEST_PAUSE), signal, refusal)
  }
}

/** What comes by a connection, which ends if it is silent for too long. */
function heard(connection, coming) {
  const watchdog = setTimeout(() => connection.abort(new Error('the stream is silent')), SILENCE)
  return coming.finally(() => clearTimeout(watchdog))
}

/** The events of one connection. */
async function* read(body, state, connection) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [rest, event] = ['', { type: 'message', data: [] }]
  for (;;) {
    const { done, value } = await heard(connection, reader.read())
    if (done) return
    // A quiet stream that ends hasn't failed.
    state.failures = 0
    const text = decoder.decode(value, { stream: true })
    rest += text
    // A long line comes in many pieces.
    if (!/[\r\n]/.test(text)) continue
    // A CR at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()
    for (const line of lines) {
      if (line === '') {
        if (event.data.length) yield { type: event.type, data: event.data.join('\n'), id: state.lastID }
        event = { type: 'message', data: [] }
        continue
      }
      const colon = line.indexOf(':')
      if (colon === 0) continue
      const name = colon < 0 ? line : line.slice(0, colon)
      const text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (name === 'event') event.type = text
      else if (name === 'data') event.data.push(text)
      else if (name === 'id' && !text.includes('\0')) state.lastID = text
      else if (name === 'retry' && /^\d+$/.test(text)) state.retry = Number(text)
    }
  }
}
