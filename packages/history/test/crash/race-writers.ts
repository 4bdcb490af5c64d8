import type { Store } from '@throughline/stores/store'
import { findFaults } from './find-faults.ts'
import type { Writer, WriterProgram } from './start-writer.ts'
import {
  type Acknowledged,
  type Fault,
  isAcknowledged,
  isRefused,
  type Place,
  type Refused,
} from './writer-line.ts'

export interface RaceOptions {
  readonly place: Place
  readonly conversation: string
  /** How many turns each of the four wants. */
  readonly turns: number
  readonly fault?: Fault
}

/** Four processes that all want every next turn of one thread. */
export async function raceWriters(
  program: WriterProgram,
  store: Store,
  { place, conversation, turns, fault }: RaceOptions,
): Promise<{
  readonly acknowledged: readonly Acknowledged[]
  readonly refused: readonly Refused[]
  readonly faults: readonly string[]
}> {
  const options = {
    place,
    conversation,
    turns,
    thinkMs: 5,
    isStepped: true,
    ...(fault && { fault }),
  }
  const writers = ['ada', 'bob', 'cleo', 'dan'].map(name => program.start({ ...options, name }))
  await Promise.all(writers.map(writer => writer.waitFor('ready', 1)))
  // One has a turn open until another has asked for the next; then all at once, and as often as it takes.
  const [first, second] = writers as [Writer, Writer]
  first.step()
  await first.waitFor('acknowledged', 1)
  second.step()
  await Promise.any([second.waitFor('acknowledged', 1), second.waitFor('refused', 1)])
  for (const writer of writers) writer.step(20_000)
  const exits = await Promise.all(writers.map(writer => writer.ended()))
  const lines = writers.flatMap(writer => writer.lines)
  const acknowledged = lines.filter(isAcknowledged)
  const key = { tenant: 'default', conversation, actor: 'assistant', branch: 'main' }
  const ended = await store.turns(key)
  const faults = [
    ...exits.flatMap((exit, n) => (exit === 0 ? [] : [`writer ${n} ended with ${exit}`])),
    // Every writer lived: nobody had to close a turn for another.
    ...ended.flatMap(({ turn, status }) =>
      status === 'completed' ? [] : [`turn ${turn} is ${status}`],
    ),
    ...(await findFaults({ store, conversation, acknowledged })),
  ]
  return { acknowledged, refused: lines.filter(isRefused), faults }
}
