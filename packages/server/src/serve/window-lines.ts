import { setMaxListeners } from 'node:events'
import { unknownWindowWords } from '@throughline/core/tokens'
import {
  isLocalAddress,
  type ListedModel,
  providerModels,
  providerWindow,
  shownFact,
} from '@throughline/models/wire'
import { eachThatAnswers, type NamedUpstream, type Upstreams } from '../upstream/upstreams.ts'

/** A line for each model that the upstreams have, the known windows first: `gpt-5: 400,000, from the table of 2026-11`. */
export async function windowLines({
  all,
  find,
}: Pick<Upstreams, 'all' | 'find'>): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(lookMs)
  const rows = await eachThatAnswers(all, async one => {
    const listed = await rowsOf(one, signal)
    return listed.filter(({ name }) => find(name) === one)
  }).catch(() => [])
  const known = rows.flatMap(({ name, window, windowFrom = 'as set' }) =>
    window === undefined ? [] : [`${name}: ${window.toLocaleString('en-US')}, ${windowFrom}`],
  )
  const unknown = rows.flatMap(({ name, window }) => (window === undefined ? [name] : []))
  const lines = [...known, ...unknown.map(name => `${name}: ${unknownWindowWords}`)]
  if (lines.length <= mostLines) return lines
  const more = `and ${lines.length - mostLines} more models`
  const end =
    unknown.length === 0
      ? more
      : `${more}; of ${unknown.length} the ${unknownWindowWords.replace(' ', ' is ')}`
  return [...lines.slice(0, mostLines), end]
}

/** The models of an upstream. One that wants a client's key to list them is known by the table. */
async function rowsOf(
  { upstream }: NamedUpstream,
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  const { address } = upstream
  const listed = await upstream.models(signal).catch(() => undefined)
  if (!listed) {
    if (address === undefined) return []
    return providerModels(address).map(name => ({
      name,
      ...shownFact(providerWindow(address, name)),
    }))
  }
  // Servers of one's own tell more of each model than their list does.
  if (address === undefined || !isLocalAddress(address)) return listed
  setMaxListeners(0, signal)
  const looked = listed.slice(0, mostLines).map(async one => {
    if (one.window !== undefined) return one
    const model = upstream.model(one.name)
    const tokens = await model.window(signal).catch(() => undefined)
    return { name: one.name, ...shownFact({ tokens, from: model.windowFrom?.() }) }
  })
  return [...(await Promise.all(looked)), ...listed.slice(mostLines)]
}

/** A start does not wait longer for what only informs. */
const lookMs = 3000

const mostLines = 20
