import { emptyEntries, isAbsent } from '../../context/checkpoint/absent-entry.ts'
import { unitsPerCheckpoint } from '../../context/checkpoint/pack-checkpoint.ts'
import { restoreTranscript } from '../../context/checkpoint/restore-transcript.ts'
import type { Context, FitOptions } from '../../context/context.ts'
import { createConversation } from '../../context/conversation/conversation.ts'
import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import { checkOptions } from '../../context/draft/frame-options.ts'
import { readWhole } from '../../context/fit-conversation.ts'
import type { Fate } from '../../context/receipt.ts'
import type { MessageLike } from '../../log/message.ts'
import type { ReadStateOptions, State, StateReading } from '../../state/index.ts'
import type { Head } from '../../stores/store.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import { checkBranch } from '../check-branch.ts'
import { checkPlace } from '../check-place.ts'
import { isClipped, loadCheckpoints, saveCheckpoints } from './checkpoints.ts'
import { closingOf } from './closing.ts'
import { fitLoading, type Loading } from './fit-loading.ts'
import type { LoggedMessage } from './logged-message.ts'
import { pastTranscript } from './past-transcript.ts'
import { createQueue } from './queue.ts'
import { type LogSource, listLog, readLog } from './read-log.ts'
import { createRecentMessages, type RecentMessages } from './recent-messages.ts'
import { readThreadState, type StateBefore } from './thread-state.ts'

export interface LogView {
  /** The last entry that the view covers. Default: the newest. */
  readonly at?: number
  /** The system prompt, which stands first. */
  readonly prompt: readonly MessageLike[]
}

/**
 * A thread in the memory of this process. Each use first reads the new entries of the store. Of a long thread, memory
 * holds the texts at its end and those that contexts ask for; of the rest only sizes and words, from checkpoints.
 */
export interface ThreadLog {
  /** The place of a message that a context holds. */
  seqOf(message: object): number | undefined
  /** Texts of entries that other messages of a context may quote, by place. */
  textsIn(context: Context): ReadonlyMap<number, string>
  context(view: LogView, options: FitOptions): Promise<Context>
  /** The newest messages in full, with the place of the first. */
  recent(): ReturnType<RecentMessages['read']>
  /** A state as it was when an entry was the last. Goes on from the previous reading of the same state. */
  stateAt(state: State<unknown>, at: number, options: ReadStateOptions): Promise<StateReading<unknown>>
  /** Whether contexts show a tool result in another form: only its beginning, say. */
  hasClipped(): Promise<boolean>
  /** The newest calibration at or before a place. */
  calibration(model: string, at?: number): Promise<Calibration | undefined>
}

/** The fates of entries that other messages may quote. */
const within: ReadonlySet<Fate> = new Set(['altered', 'recalled', 'digested'])

/** How many texts stay in memory when others are dropped, which happens at about twice as many. */
const fewestTexts = 1024

export function createThreadLog(source: LogSource): ThreadLog {
  const { store, key, count } = source
  const inTurn = createQueue()
  const places = new WeakMap<object, number>()
  /** How many messages of a context come from `LogView.prompt`. */
  const prompts = new WeakMap<Context, number>()
  const recent = createRecentMessages(source)
  const readings = new WeakMap<State<unknown>, StateBefore & ReadStateOptions>()
  let conversation = createConversation(count)
  let calibrations: (readonly [number, Calibration])[] = []
  let clipped: number | undefined
  let known = 0
  let checkpoints = 0
  /** Texts before this entry are not in memory, except the `borrowed` ones. */
  let emptied = 0
  let borrowed: number[] = []
  let previous: Context | undefined

  function add(logged: LoggedMessage): void {
    const { message, view, seq, calibration } = logged
    if (isClipped(logged)) clipped ??= seq
    places.set(view, seq)
    recent.add(message)
    if (calibration) calibrations.push([seq, calibration])
    conversation.append(view, seq)
    known = seq
  }

  /** Starts over from the stored checkpoints. Reads all before it changes anything, so that a failed read does no harm. */
  async function restart(head: Head): Promise<void> {
    const found = await loadCheckpoints(source, head)
    const leading = await listLog(source, { to: found[0]?.facts.lead ?? 0 })
    const packed = found.map(checkpoint => checkpoint.packed)
    const transcript = restoreTranscript(count, packed)
    const system = leading.map(({ view, seq }) => stampEntry(view, seq, count))
    conversation = createConversation(count, { system, transcript })
    for (const { view, seq } of leading) places.set(view, seq)
    calibrations = found.flatMap(({ facts }) => [...facts.calibrations])
    clipped = found.find(({ facts }) => facts.clipped !== undefined)?.facts.clipped
    checkpoints = found.length
    known = found.at(-1)?.at ?? 0
    recent.restart(known + 1)
    emptied = transcript.entries.length
    borrowed = []
    previous = undefined
  }

  async function refresh(): Promise<Head | undefined> {
    const head = await store.head(key)
    checkBranch(key, head)
    if (known === 0 || (head?.head ?? 0) < known) await restart(head ?? { head: 0, turns: 0 })
    if (head && head.head > known)
      for await (const logged of readLog(source, { from: known + 1, to: head.head })) add(logged)
    return head
  }

  async function context({ at: given, prompt }: LogView, options: FitOptions): Promise<Context | undefined> {
    checkOptions({ ...options, count })
    checkPlace(given)
    const head = await refresh()
    const at = given === undefined || given >= known ? undefined : given
    // A turn that a crash left open is read as if it were closed, but not in views of the past.
    const tail = given === undefined && head?.open?.expiresInMs === 0 ? await closingOf(source, head) : []
    const isNow = at === undefined && tail.length === 0
    const { system: lead, transcript } = conversation
    const target = isNow ? transcript : await pastTranscript(transcript, { ...loading(), at, tail })
    const leading = at === undefined ? lead : lead.slice(0, at)
    const system = [...prompt.map((message, seq) => stampEntry(message, seq, count)), ...leading]
    const before = isNow && previous ? { previous } : {}
    const all = { ...options, count, ...before }
    const fitted = await fitLoading({ system, transcript: target }, all, loading())
    if (!fitted) return undefined
    if (isNow) previous = fitted
    prompts.set(fitted, prompt.length)
    await tidy()
    return fitted
  }

  /** If a caller changed a message that a context gave him, all is read again from the store. */
  async function contextOrAgain(view: LogView, options: FitOptions): Promise<Context> {
    const fitted = await context(view, options)
    if (fitted) return fitted
    known = 0
    return readWhole(await context(view, options))
  }

  const loading = (): Loading => ({
    source,
    lead: conversation.system.length,
    places,
    onLoad: place => borrowed.push(place),
  })

  async function tidy(): Promise<void> {
    const { system, transcript } = conversation
    const facts = { lead: system.length, calibrations, clipped }
    checkpoints = await saveCheckpoints(loading(), transcript, facts, checkpoints)
    // Texts without a checkpoint stay: a checkpoint is made of them.
    const kept = transcript.units[checkpoints * unitsPerCheckpoint]?.from ?? 0
    // Texts that were just sent stay: they will be sent again.
    const most = Math.max(fewestTexts, 2 * (previous?.messages.length ?? 0))
    const end = Math.min(transcript.entries.length - most, kept)
    if (end - emptied > most) {
      emptyEntries(transcript, emptied, end)
      emptied = end
    }
    for (const place of borrowed.splice(0, Math.max(0, borrowed.length - most)))
      if (place < emptied) emptyEntries(transcript, place, place + 1)
  }

  return {
    context: (view, options) => inTurn(() => contextOrAgain(view, options)),
    seqOf: message => places.get(message),
    textsIn(context) {
      const before = prompts.get(context)
      const { system, transcript } = conversation
      const texts = new Map<number, string>()
      for (const { first, last, fate } of before === undefined ? [] : context.receipt.stretches) {
        if (!within.has(fate)) continue
        for (let seq = first; seq <= last; seq++) {
          const entry = transcript.entries[seq - before! - system.length]
          if (!entry || isAbsent(entry)) continue
          const { content } = entry.source
          if (typeof content === 'string') texts.set(seq - before! + 1, content)
        }
      }
      return texts
    },
    recent: () =>
      inTurn(async () => {
        await refresh()
        return recent.read()
      }),
    async stateAt(state, at, options) {
      const last = readings.get(state)
      const before = last && last.projectId === options.projectId && last.at <= at ? last : undefined
      if (before?.at === at) return before.reading
      const reading = await readThreadState(source, state, { ...options, at }, before)
      readings.set(state, { ...options, at, reading })
      return reading
    },
    hasClipped: () =>
      inTurn(async () => {
        await refresh()
        return clipped !== undefined
      }),
    calibration: (model, at = Number.POSITIVE_INFINITY) =>
      inTurn(async () => {
        await refresh()
        return calibrations.findLast(
          ([seq, { model: of, counter }]) => seq <= at && of === model && counter === count.id,
        )?.[1]
      }),
  }
}
