// A service of the built binary, with a data directory of its own.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const binary = process.env.PINCLUSTER_BINARY ?? '.build/release/pincluster'

/** Starts a service; `{ url, stop() }`. A port other than 0 is that of one stopped before, with its data. */
export async function start({ port = 0, data } = {}) {
  const directory = data ?? await mkdtemp(join(tmpdir(), 'pincluster-js-'))
  const child = spawn(binary, ['serve', '--port', String(port), '--data', directory], { stdio: ['ignore', 'ignore', 'pipe'] })
  const lines = createInterface({ input: child.stderr })
  const own = await new Promise((resolve, reject) => {
    let found
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`the service ended with ${code}`)))
    lines.on('line', line => {
      found ??= /"event":"listening".*"port":(\d+)/.exec(line)?.[1]
      if (line.includes('"event":"ready"')) resolve(found)
    })
  })
  const end = async () => {
    child.removeAllListeners('exit')
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  return {
    url: `http://127.0.0.1:${own}`, port: Number(own), directory, end,
    async stop() {
      await end()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A feature. */
export const point = (id, longitude, latitude, properties = {}) =>
  ({ type: 'Feature', id, geometry: { type: 'Point', coordinates: [longitude, latitude] }, properties })
