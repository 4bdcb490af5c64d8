import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { words } from '@throughline/core/counters'
import { ThroughlineError } from '@throughline/core/errors'
import { postgresStore } from '@throughline/stores/postgres'
import { sqliteStore } from '@throughline/stores/sqlite'
import { createHistory, type History, type Thread, type Turn } from '../../src/index.ts'
import { brokenStores } from './broken-stores.ts'
import { type Part, partText, turnMessages } from './turn-messages.ts'
import { gaveUp, type Step, type WriterLine, type WriterOptions } from './writer-line.ts'

/**
 * A process that writes turns, to be killed, stopped or starved. It prints a line when a step has resolved or was
 * refused. Its ids are counted, so that two runs do the same calls of the system.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as WriterOptions
const {
  place,
  conversation,
  name,
  turns,
  leaseMs = 30_000,
  fault,
  isStepped,
  isReopening,
  thinkMs,
} = options
const orders = isStepped
  ? createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  : undefined
let ids = 0

let thread: Thread | undefined
let history = await open()
print({ kind: 'ready' })
for (let turn = 1; turn <= turns; turn++) {
  await writeTurn(turn)
  if (!isReopening) continue
  await history.close()
  history = await open()
}
await history.close()
process.exit(0)

async function open(): Promise<History> {
  const store = await attempt('open', async () =>
    place.kind === 'sqlite' ? sqliteStore({ path: place.path }) : postgresStore({ url: place.url }),
  )
  const newId = () => `${name}-${++ids}`
  const broken = fault ? brokenStores[fault](store) : store
  const opened = createHistory({ store: broken, leaseMs, count: words(), newId })
  thread = opened.thread(conversation)
  return opened
}

async function writeTurn(number: number): Promise<void> {
  const { question, round, reply, note } = turnMessages(name, number)
  const turn = await take('begin', ['question'], number, async () => {
    const begun = await thread!.begin(question)
    if (begun.kind !== 'begun') throw new Error('the turn was replayed where it should have begun')
    return begun.turn
  })
  watch(turn)
  await take('append', ['call', 'result'], number, () => turn.append(...round))
  if (thinkMs) await sleep(thinkMs)
  await take('complete', ['reply', 'note'], number, () => turn.complete(reply, { note }))
}

/** One step, acknowledged when it has resolved. */
async function take<T>(
  step: Step,
  written: readonly Part[],
  turn: number,
  run: () => Promise<T>,
): Promise<T> {
  const result = await attempt(step, run)
  print({
    kind: 'acknowledged',
    step,
    turn,
    texts: written.map(part => partText(name, turn, part)),
  })
  return result
}

/** Tries a refused step once more; while another writer has the turn, as often as it takes. */
async function attempt<T>(step: Step, run: () => Promise<T>): Promise<T> {
  for (let times = 1; ; times++) {
    if (step !== 'open') await orders?.next()
    try {
      return await run()
    } catch (error) {
      await refuse(step, error)
      const isTaken =
        error instanceof ThroughlineError && ['turn_open', 'conflict'].includes(error.code)
      if (times >= 2 && !(step === 'begin' && isTaken)) process.exit(gaveUp)
      await sleep(2 + times)
    }
  }
}

async function refuse(step: Step, error: unknown): Promise<void> {
  const { name: kind, message, code = '' } = error as Error & { code?: string }
  const reading = thread?.messages() ?? Promise.reject()
  const readable = await reading.then(
    messages => messages.length,
    () => -1,
  )
  print({
    kind: 'refused',
    step,
    error: error instanceof ThroughlineError ? kind : '',
    code,
    message,
    readable,
  })
  if (options.isFragile) process.kill(process.pid, 'SIGKILL')
}

function watch(turn: Turn): void {
  turn.signal.addEventListener('abort', () => {
    print({
      kind: 'aborted',
      turn: turn.number,
      code: (turn.signal.reason as ThroughlineError).code,
    })
  })
}

/** Prints synchronously. Throws if nobody reads any more, which ends this process too. */
function print(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}
