import { setImmediate as breathe } from 'node:timers/promises'
import { putNewest } from '@throughline/core/values'
import type { LoggedMessage, Thread } from '@throughline/history'
import { endOf, readPlan } from '@throughline/history/calls'
import { createQueue, isHandEntry, type LogSource, readLog } from '@throughline/history/log'
import type { Head, Store, ThreadKey } from '@throughline/stores/store'
import { callsBack } from '../calls-back.ts'
import {
  createPoints,
  type PlacedCall,
  type PointOptions,
  type Points,
  type TimelinePoint,
} from './point.ts'
import { createReading, readOn, type ThreadReading } from './reading.ts'

interface TimelineOptions extends PointOptions {
  /** The first place that is ever asked for. */
  readonly since?: number
  /** Gives the thread as it was at a place, so that what stands before `since` need not be read. */
  readonly copyAt?: Thread['copyAt']
}

export type Timeline = ReturnType<typeof createTimeline>

/** How many entries are read at once. */
const page = 64

/** How long points are made without a pause, in milliseconds: other requests are answered meanwhile. */
const longestHold = 10

/**
 * What was sent at each place of a thread where a model was asked. It can be read on when the thread has grown.
 *
 * Reads a thread once, from its beginning; what a point costs depends on its context, not on the length of the thread.
 * Turns that are followed by another one are settled and kept; the newest turn is made again each time, on a copy, because
 * its calls may end or be tried again. `since`: points before this entry are never asked for, and are not made.
 */
export function createTimeline(source: LogSource, options: TimelineOptions) {
  const { store, key } = source
  const { since: start = 0, copyAt } = options
  const count = source.count as ThreadReading['count']
  const inTurn = createQueue()
  const calls = createCallList(store, key)
  let reading = createReading(count)
  let points = createPoints(source, options, reading)
  const settled: TimelinePoint[] = []
  let before: number | undefined
  let lastBreath = performance.now()

  /** The last turn and the last entry, now. The point before the first one that is wanted must be known too. */
  async function look(): Promise<ThreadEnd> {
    const { head = 0, turns = 0 } = (await store.head(key)) ?? {}
    await calls.refresh()
    if (before !== undefined) return { head, turns }
    before = start > 0 ? await placeBefore(source, start, calls) : 0
    if (before > 1 && copyAt) {
      reading = readOn(count, await copyAt(before - 1))
      points = createPoints(source, options, reading)
    }
    return { head, turns }
  }

  const isMade = (at: number) => at >= start || at === before

  /** Reads entries and gives the points among them. A point before an entry is known when that entry is. */
  async function* read(entries: AsyncIterable<LoggedMessage>, to: ThreadReading, make: Points) {
    for await (const logged of entries) {
      const { asking } = to
      if (asking && isAsked(asking, logged) && !isCalled(calls, asking) && isMade(asking.seq))
        yield await make.make()
      to.add(logged)
      if (isMade(logged.seq))
        for (const placed of calls.at(logged.seq)) yield await make.make(placed)
      if (performance.now() - lastBreath < longestHold) continue
      await breathe()
      lastBreath = performance.now()
    }
  }

  /** Reads a page of settled entries; false if there are no more. */
  async function advance(end: ThreadEnd): Promise<boolean> {
    const from = (reading.last?.seq ?? 0) + 1
    let isOver = true
    async function* settledEntries() {
      for await (const logged of readLog(source, { from, to: end.head, limit: page })) {
        isOver = !isSettled(logged, end)
        if (isOver) return
        yield logged
      }
    }
    for await (const point of read(settledEntries(), reading, points)) settled.push(point)
    calls.take(reading.last?.seq ?? 0)
    return !isOver
  }

  async function newest(end: ThreadEnd): Promise<readonly TimelinePoint[]> {
    const copy = createReading(count, await reading.copy())
    const made = createPoints(source, options, copy, points.last)
    const batch: TimelinePoint[] = []
    const rest = readLog(source, { from: (reading.last?.seq ?? 0) + 1, to: end.head })
    for await (const point of read(rest, copy, made)) batch.push(point)
    const { asking } = copy
    if (asking && !isAnswer(asking) && !isCalled(calls, asking) && isMade(asking.seq))
      batch.push(await made.make())
    return batch
  }

  return {
    /** How many entries it holds in memory. */
    get size(): number {
      return reading.size
    },
    /** The points from an entry on, oldest first, up to the thread's head. Several may read at once. */
    async *points(since: number, signal: AbortSignal): AsyncGenerator<TimelinePoint> {
      const end = await inTurn(look)
      for (let next = 0; ; next++) {
        while (next >= settled.length && (await inTurn(() => advance(end))))
          if (signal.aborted) return
        const point = settled[next]
        if (!point) break
        if (signal.aborted) return
        if (point.at >= since) yield point
      }
      for (const point of await inTurn(() => newest(end))) if (point.at >= since) yield point
    },
  }
}

type ThreadEnd = Pick<Head, 'head' | 'turns'>

/** Whether nothing can change any more about an entry: another turn has begun after its own. The last entry may go on. */
const isSettled = ({ seq, turn }: LoggedMessage, { head, turns }: ThreadEnd) =>
  seq < head && (turns === 0 || turn < turns)

const isCalled = (calls: CallList, { turn }: LoggedMessage) => turn > 0 && calls.hasTurn(turn)

/** Whether a model was asked between two entries. */
const isAsked = (entry: LoggedMessage, next: LoggedMessage) =>
  next.message.role === 'assistant' && !isAnswer(entry)

const isAnswer = ({ message: { role } }: LoggedMessage) =>
  role === 'assistant' || role === 'assistant_note'

/** The last place before another at which a model was asked; 0 if there is none. */
async function placeBefore(source: LogSource, since: number, calls: CallList): Promise<number> {
  const called = calls.before(since)
  let after: LoggedMessage | undefined
  for await (const logged of readLog(source, {
    from: Math.max(1, called),
    to: since,
    reverse: true,
  })) {
    if (isHandEntry(logged)) continue
    if (after && logged.seq < since && isAsked(logged, after) && !isCalled(calls, logged))
      return logged.seq
    after = logged
  }
  return called
}

export type Timelines = ReturnType<typeof createTimelines>

/** The most entries that all timelines hold in memory. One alone may have more. */
const mostEntries = 60_000
const mostTimelines = 32
const lifeMs = 600_000

/** The timelines that were asked for last, so that a page that looks again gets only what is new. */
export function createTimelines() {
  const all = new Map<
    string,
    { readonly thread: ThreadKey; readonly timeline: Timeline; usedAt: number }
  >()
  const nameOf = ({ tenant, conversation, actor, branch }: ThreadKey, settings: string) =>
    JSON.stringify([tenant, conversation, actor, branch, settings])

  /** Drops the least recently used timelines; the newest always stays. */
  function tidy(): void {
    let entries = 0
    for (const [name, { timeline, usedAt }] of [...all].reverse()) {
      entries += timeline.size
      const isNewest = entries === timeline.size
      if (!isNewest && (entries > mostEntries || Date.now() - usedAt > lifeMs)) all.delete(name)
    }
  }

  return {
    get(thread: ThreadKey, settings: string): Timeline | undefined {
      const name = nameOf(thread, settings)
      const entry = all.get(name)
      if (!entry) return undefined
      putNewest(all, name, { ...entry, usedAt: Date.now() }, mostTimelines)
      tidy()
      return entry.timeline
    },
    keep(thread: ThreadKey, settings: string, timeline: Timeline): void {
      putNewest(
        all,
        nameOf(thread, settings),
        { thread, timeline, usedAt: Date.now() },
        mostTimelines,
      )
      tidy()
    },
    drop(tenant: string, conversation: string): void {
      for (const [name, { thread }] of all)
        if (thread.tenant === tenant && thread.conversation === conversation) all.delete(name)
    },
  }
}

type CallList = ReturnType<typeof createCallList>

/** Reading back stops after this many calls that were taken. */
const mostTaken = 32

/** The newest calls that are read. */
const mostCalls = 20_000

/** The calls of a branch, with those of the past that it shares with other branches. Holds those that are not yet taken. */
function createCallList(store: Store, key: ThreadKey) {
  const taken = new Set<string>()
  const turns = new Set<number>()
  let waiting = new Map<number, PlacedCall[]>()

  return {
    /** Reads the calls that are new, or may have ended since. */
    async refresh(): Promise<void> {
      const { head = 0 } = (await store.head(key)) ?? {}
      const fresh: PlacedCall[] = []
      let takenCalls = 0
      for await (const call of callsBack(store, key)) {
        turns.add(call.turn)
        if (taken.has(call.id)) takenCalls += 1
        else {
          const plan = readPlan(call.plan)
          // An imported plan may end at any number.
          fresh.push({ call, plan, at: Math.min(endOf(plan), head) })
        }
        if (takenCalls >= mostTaken || fresh.length >= mostCalls) break
      }
      waiting = new Map(fresh.map(({ at }) => [at, []]))
      for (const placed of fresh.reverse()) waiting.get(placed.at)!.push(placed)
    },
    hasTurn: (turn: number): boolean => turns.has(turn),
    /** The calls at a place that are not yet taken, oldest first. */
    at: (seq: number): readonly PlacedCall[] => waiting.get(seq) ?? [],
    /** Forgets the plans of the calls up to a place: they will not be asked for again. */
    take(upTo: number): void {
      for (const [at, calls] of waiting) {
        if (at > upTo) continue
        for (const { call } of calls) taken.add(call.id)
        waiting.delete(at)
      }
    },
    /** The last place before another that has a call which is not taken; 0 if there is none. */
    before: (seq: number): number =>
      [...waiting.keys()].reduce((last, at) => (at < seq && at > last ? at : last), 0),
  }
}
