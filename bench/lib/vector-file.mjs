import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { toVector } from '../.build/history/log/vectors/embed-texts.js'

const batch = 64
const mostMs = 300_000

/** The vectors of texts, as a history would store them. With a file, those of earlier runs are read from it and new ones added. */
export async function vectorsFor(texts, embedder, file) {
  const vectors = new Map()
  for (const line of file && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    const [name, bytes] = line.split(' ')
    if (bytes) vectors.set(name, new Int8Array(Buffer.from(bytes, 'base64')))
  }
  const missing = [...new Set(texts)].filter(text => text !== '' && !vectors.has(nameOf(text)))
  let length = vectors.values().next().value?.length
  for (let from = 0; from < missing.length; from += batch) {
    const some = missing.slice(from, from + batch)
    const found = await embedder.embed(some, { signal: AbortSignal.timeout(mostMs) })
    let lines = ''
    for (const [at, text] of some.entries()) {
      const vector = toVector(found[at], length)
      if (!vector) continue
      length = vector.length
      vectors.set(nameOf(text), vector)
      lines += `${nameOf(text)} ${Buffer.from(vector.buffer).toString('base64')}\n`
    }
    if (file) appendFileSync(file, lines)
    console.error(`embed: ${Math.min(from + batch, missing.length)} of ${missing.length} texts`)
  }
  return new Map(
    texts.flatMap(text => (vectors.has(nameOf(text)) ? [[text, vectors.get(nameOf(text))]] : [])),
  )
}

const nameOf = text => createHash('sha256').update(text).digest('base64url')
