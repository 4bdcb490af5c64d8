import { emptyEntries, isAbsent } from '../context/checkpoint/absent-entry.ts'
import { restoreTranscript } from '../context/checkpoint/restore-transcript.ts'
import type { Context, FitOptions } from '../context/context.ts'
import { stampEntry } from '../context/conversation/stamp-entry.ts'
import { createTranscript } from '../context/conversation/transcript.ts'
import type { Entry } from '../context/conversation/unit.ts'
import type { Fate } from '../context/receipt.ts'
import type { MessageLike } from '../log/message.ts'
import type { Head } from '../stores/store.ts'
import type { Calibration } from '../tokens/calibration.ts'
import { loadCheckpoints, saveCheckpoints } from './checkpoints.ts'
import { fitLoading } from './fit-loading.ts'
import type { LoggedMessage } from './logged-message.ts'
import { pastTranscript } from './past-transcript.ts'
import { leadingPrompt, type PlanLog } from './plan.ts'
import { createPrompts } from './prompts.ts'
import { createQueue } from './queue.ts'
import { type LogSource, listLog, readLog } from './read-log.ts'

export interface LogView {
  /** The last entry that exists, as far as this view goes. Default: all of them. */
  readonly at?: number
  /** The system prompt, before everything. */
  readonly prompt: readonly MessageLike[]
  /** What is read after the last entry although nobody has logged it. */
  readonly tail: readonly MessageLike[]
}

/**
 * What this process knows of a thread. An instance that is behind reads only what is new; of a long thread only the end
 * and what contexts ask for is in memory, the rest is sizes and words from checkpoints.
 */
export interface ThreadLog extends PlanLog {
  /** Where the branch stands, after what is new was read. */
  refresh(): Promise<Head | undefined>
  context(view: LogView, options: FitOptions): Promise<Context>
  /** The name of the system prompt of a context, where it is used again and again. */
  promptOf(context: Context): Promise<string | undefined>
  /** The last one at or before a place. */
  calibration(model: string, at?: number): Promise<Calibration | undefined>
}

/** What became of entries whose texts stand inside of other messages. */
const within: ReadonlySet<Fate> = new Set(['altered', 'recalled', 'digested'])

/** Texts of so many entries stay in memory; twice as many may, until they are cleared out. */
const mostEntries = 4096

export function createThreadLog(source: LogSource, now: () => number): ThreadLog {
  const { store, key, count } = source
  const inTurn = createQueue()
  const places = new WeakMap<object, number>()
  /** How many messages stand before the log in a context. */
  const prompts = new WeakMap<Context, number>()
  const named = createPrompts(store, key, now)
  let lead: Entry<MessageLike>[] = []
  let transcript = createTranscript<MessageLike>(count)
  let calibrations: (readonly [number, Calibration])[] = []
  let known = 0
  let checkpoints = 0
  /** Entries before this one are not in memory, but for those that were asked for. */
  let emptied = 0
  let borrowed: number[] = []
  let previous: Context | undefined

  function add({ view, seq, calibration }: LoggedMessage): void {
    places.set(view, seq)
    if (calibration) calibrations.push([seq, calibration])
    const entry = stampEntry(view, seq, count)
    if (entry.role === 'system' && transcript.entries.length === 0) lead.push(entry)
    else transcript.append(view, seq)
    known = seq
  }

  /** Begins anew, from the checkpoints that there are. */
  async function restart(head: Head): Promise<void> {
    const found = await loadCheckpoints(source, head)
    lead = []
    calibrations = found.flatMap(({ facts }) => [...facts.calibrations])
    transcript = restoreTranscript(
      count,
      found.map(({ packed }) => packed),
    )
    checkpoints = found.length
    known = found.at(-1)?.at ?? 0
    emptied = transcript.entries.length
    borrowed = []
    previous = undefined
    for (const { view, seq } of await listLog(source, { to: found[0]?.facts.lead ?? 0 })) {
      places.set(view, seq)
      lead.push(stampEntry(view, seq, count))
    }
  }

  async function refresh(): Promise<Head | undefined> {
    const head = await store.head(key)
    if (known === 0 || (head?.head ?? 0) < known) await restart(head ?? { head: 0, turns: 0 })
    if (head && head.head > known)
      for await (const logged of readLog(source, { from: known + 1, to: head.head })) add(logged)
    return head
  }

  async function context({ at, prompt, tail }: LogView, options: FitOptions): Promise<Context> {
    const isNow = at === undefined && tail.length === 0
    const load = { source, lead: lead.length, places, onLoad: (place: number) => borrowed.push(place) }
    const target = isNow ? transcript : await pastTranscript(transcript, { ...load, at, tail })
    const leading = at === undefined ? lead : lead.slice(0, at)
    const system = [...prompt.map((message, seq) => stampEntry(message, seq, count)), ...leading]
    const before = isNow && previous ? { previous } : {}
    const fitted = await fitLoading({ system, transcript: target }, { ...options, count, ...before }, load)
    if (isNow) previous = fitted
    prompts.set(fitted, prompt.length)
    await tidy()
    return fitted
  }

  async function tidy(): Promise<void> {
    checkpoints = await saveCheckpoints(source, transcript, { lead: lead.length, calibrations }, checkpoints)
    const { length } = transcript.entries
    if (length - emptied > 2 * mostEntries) {
      emptyEntries(transcript, emptied, length - mostEntries)
      emptied = length - mostEntries
    }
    if (borrowed.length > mostEntries) {
      for (const place of borrowed.splice(0, mostEntries / 2))
        if (place < emptied) emptyEntries(transcript, place, place + 1)
    }
  }

  return {
    refresh: () => inTurn(refresh),
    context: (view, options) => inTurn(() => context(view, options)),
    seqOf: message => places.get(message),
    async promptOf(context) {
      const text = leadingPrompt(context, { seqOf: message => places.get(message) })
      return text === undefined ? undefined : named.nameOf(text)
    },
    textsIn(context) {
      const before = prompts.get(context)
      const texts = new Map<number, string>()
      for (const { first, last, fate } of before === undefined ? [] : context.receipt.stretches) {
        if (!within.has(fate)) continue
        for (let seq = first; seq <= last; seq++) {
          const entry = transcript.entries[seq - before! - lead.length]
          if (!entry || isAbsent(entry)) continue
          const { content } = entry.source
          if (typeof content === 'string') texts.set(seq - before! + 1, content)
        }
      }
      return texts
    },
    calibration: (model, at = Number.POSITIVE_INFINITY) =>
      inTurn(async () => {
        await refresh()
        return calibrations.findLast(
          ([seq, { model: of, counter }]) => seq <= at && of === model && counter === count.id,
        )?.[1]
      }),
  }
}
