import { ThroughlineError } from '@throughline/core/errors'
import { toCanonical } from '@throughline/core/values'
import type { Lease, Store, ThreadKey } from '../store.ts'
import { entry, long, newThread, read, sentCall } from './store-cases-help.ts'

/** Opens a store: another one each time, over the same backend. */
export type CreateStore = () => Promise<Store>

/** One requirement on every store. `run` throws when the store fails it. */
export interface StoreCase {
  /** The requirement in words: the name of a test. */
  readonly name: string
  /** Opens the store as often as it needs; each opening must see the same data. */
  run(create: CreateStore): Promise<void>
}

type CaseBody = (store: Store, thread: ThreadKey, create: CreateStore) => Promise<unknown>

export function toCases(bodies: Readonly<Record<string, CaseBody>>): readonly StoreCase[] {
  return Object.entries(bodies).map(([name, body]) => ({
    name,
    async run(create) {
      const store = await create()
      try {
        await store.migrate()
        await body(store, newThread(), create)
        equal(await store.check(), [], 'what check() finds')
      } finally {
        await store.close()
      }
    },
  }))
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [stable(actual), stable(expected)]
  if (a !== b) throw new Error(`${what}: expected ${short(b)}, got ${short(a)}`)
}

/** Expects a ThroughlineError with this code, and returns it. A failure shows the call. */
export async function refused(
  call: () => Promise<unknown>,
  code: string,
): Promise<ThroughlineError> {
  const answer = await call().then(
    value => `it gave ${short(stable(value))}`,
    (error: unknown) => error as Error,
  )
  if (answer instanceof ThroughlineError && answer.code === code) return answer
  const came = answer instanceof Error ? `got: ${answer}` : answer
  throw new Error(`${short(String(call))}: expected the error "${code}", but ${came}`)
}

export async function allRefused(
  code: string,
  calls: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const call of calls) await refused(call, code)
}

export const pluck = <Item, Name extends keyof Item>(
  items: readonly Item[],
  name: Name,
): Item[Name][] => items.map(item => item[name])

/** The entries as "place/turn". */
export const places = async (store: Store, thread: ThreadKey): Promise<string[]> =>
  (await read(store, thread)).map(({ seq, turn }) => `${seq}/${turn}`)

/** The turns as "number status first-last". */
export async function outline(store: Store, thread: ThreadKey): Promise<string[]> {
  const turns = await store.turns(thread)
  return turns.map(({ turn, status, first, last }) => `${turn} ${status} ${first}-${last}`)
}

export async function nothingAt(store: Store, thread: ThreadKey): Promise<void> {
  equal(await store.head(thread), undefined, 'the head')
  equal(await read(store, thread), [], 'the entries')
  equal(await store.turns(thread), [], 'the turns')
  equal(await store.calls(thread), [], 'the calls')
  equal(await store.loadCache(thread, 'fold'), undefined, 'the cache')
}

export function writesTo(
  store: Store,
  thread: ThreadKey,
  lease: Lease,
): (() => Promise<unknown>)[] {
  return [
    ...turnWrites(store, thread, lease, 1),
    () => store.fork(thread, { at: 0, branch: 'x' }),
    () => store.saveCall(thread, { ...sentCall, id: 'c' }),
    () => store.saveCache(thread, 'fold', 1, new Uint8Array([1])),
  ]
}

export function turnWrites(store: Store, thread: ThreadKey, lease: Lease, expectedHead: number) {
  const late = { lease, expectedHead, entries: [entry('late')] }
  return [
    () => store.append(thread, late),
    () => store.append(thread, { ...late, entries: [] }),
    () => store.end(thread, { ...late, status: 'completed' }),
    () => store.renew(thread, lease, long),
  ]
}

/** Stores may return fields in different orders. */
const stable = (value: unknown): string => toCanonical(value) ?? 'undefined'

const short = (text: string) =>
  text.length > 400 ? `${text.slice(0, 400)}… (${text.length})` : text
