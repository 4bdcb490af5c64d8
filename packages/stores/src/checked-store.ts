import { InvalidOptionError } from '@throughline/core/errors'
import { isCount } from '@throughline/core/values'
import * as inputs from './check-input.ts'
import { erasedPrefix } from './erased.ts'
import type {
  AppendEntries,
  NewEntry,
  RestoreEntries,
  Store,
  StoredEntry,
  StoredTurn,
} from './store.ts'
import { notAPlace } from './store-error.ts'

/** A store that checks its input: names, sizes, numbers, odd texts. Every built-in store is made with it. */
export function checkedStore(store: Store, maxEntryBytes = inputs.defaultMaxEntryBytes): Store {
  const checkNew = (entries: readonly NewEntry[]) => inputs.checkEntries(entries, maxEntryBytes)
  const checkLease = ({ owner, epoch }: AppendEntries['lease']) => {
    inputs.checkNames({ owner })
    inputs.checkPlace('epoch', epoch)
  }
  const checkAppend = ({ lease, expectedHead, entries, call, marks = [] }: AppendEntries) => {
    checkLease(lease)
    inputs.checkPlace('expectedHead', expectedHead)
    checkNew(entries)
    inputs.checkMarks(marks)
    if (call) inputs.checkCall(call, maxEntryBytes)
  }
  return {
    ...store,
    ...withChecks(store, inputs.checkThread, {
      begin(_, { owner, leaseMs, expectedHead, key, body, closing, entries, marks = [] }) {
        inputs.checkNames({ owner, key, body, error: closing?.error })
        inputs.checkLeaseMs(leaseMs)
        inputs.checkPlace('expectedHead', expectedHead)
        if (closing?.status !== undefined) inputs.checkEndStatus(closing.status)
        checkNew(closing?.entries ?? [])
        checkNew(entries)
        inputs.checkMarks(marks)
      },
      resume(_, { owner, leaseMs }) {
        inputs.checkNames({ owner })
        inputs.checkLeaseMs(leaseMs)
      },
      append: (_, append) => checkAppend(append),
      end(_, end) {
        inputs.checkNames({ error: end.error })
        inputs.checkEndStatus(end.status)
        checkAppend(end)
      },
      renew(_, lease, leaseMs) {
        checkLease(lease)
        inputs.checkLeaseMs(leaseMs)
      },
      seed(_, { expectedHead, entries }) {
        inputs.checkPlace('expectedHead', expectedHead)
        checkNew(entries)
      },
      restore: (_, stretch) => checkStretch(stretch, maxEntryBytes),
      fork(thread, { at, branch }) {
        inputs.checkThread({ ...thread, branch })
        if (!isCount(at)) throw notAPlace(at)
        inputs.checkPlace('at', at)
      },
      head: () => {},
      turns: () => {},
      saveCall: (_, call) => inputs.checkCall(call, maxEntryBytes),
      calls: (_, { limit } = {}) => inputs.checkLimit(limit),
      saveCache(_, key, at) {
        inputs.checkName('key of the cache', key)
        inputs.checkPlace('at', at)
      },
      loadCache: (_, key) => inputs.checkName('key of the cache', key),
      saveMarks: (_, marks) => inputs.checkMarks(marks),
      erase(_, seq, { payload }) {
        inputs.checkPlace('seq', seq)
        if (!payload.startsWith(erasedPrefix))
          throw refused('mark', `a payload that begins with ${erasedPrefix}`)
      },
    }),
    ...withChecks(store, (tenant: string) => inputs.checkName('tenant', tenant), {
      deleteCalls: (_, before) => inputs.checkTime('before', before),
      findMarks(_, marks, { limit } = {}) {
        for (const mark of marks) inputs.checkName('mark', mark)
        inputs.checkLimit(limit)
      },
      conversations: (_, page = {}) => inputs.checkPage(page),
      describeConversation: (_, conversation) => inputs.checkName('conversation', conversation),
      findWords(_, words, { limit, person, conversation } = {}) {
        for (const forms of words) for (const form of forms) inputs.checkName('word', form)
        inputs.checkLimit(limit)
        inputs.checkNames({ conversation })
        if (person !== undefined) inputs.checkPerson(person)
      },
      deleteConversation(_, conversation, { unusedSince } = {}) {
        inputs.checkName('conversation', conversation)
        if (unusedSince !== undefined) inputs.checkTime('unusedSince', unusedSince)
      },
    }),
    entries: (thread, range = {}) => ({
      [Symbol.asyncIterator]() {
        inputs.checkThread(thread)
        inputs.checkRange(range)
        return store.entries(thread, range)[Symbol.asyncIterator]()
      },
    }),
  }
}

type Guards = {
  readonly [Method in keyof Store]?: (...input: Parameters<NonNullable<Store[Method]>>) => void
}

/** Methods that check what they are about, then the rest of their input, then ask the store. */
function withChecks<First>(
  store: Store,
  checkFirst: (first: First) => void,
  checks: Guards,
): Partial<Store> {
  const methods = store as unknown as Readonly<Record<string, (...input: unknown[]) => unknown>>
  const checked = Object.entries(
    checks as Readonly<Record<string, (...input: unknown[]) => void>>,
  ).map(([name, check]) => [
    name,
    async (...input: unknown[]) => {
      checkFirst(input[0] as First)
      check(...input)
      return methods[name]!(...input)
    },
  ])
  return Object.fromEntries(checked)
}

/** Refuses a stretch that no store could have exported, whatever is stored here: gaps, torn turns. */
function checkStretch({ entries, turns, forkOf }: RestoreEntries, maxEntryBytes: number): void {
  inputs.checkEntries(entries, maxEntryBytes)
  for (const { error, key, body } of turns) inputs.checkNames({ error, key, body })
  inputs.checkNames({ forkOf: forkOf?.branch })
  if (forkOf && !isCount(forkOf.at)) throw notAPlace(forkOf.at)
  inputs.checkPlace('forkOf', forkOf?.at)
  entries.forEach((entry, n) => {
    checkEntry(entry, entries[n - 1])
  })
  const from = entries[0]?.seq ?? turns[0]?.first ?? 1
  turns.forEach((turn, n) => {
    checkTurn(turn, turns[n - 1], from, from + entries.length - 1)
  })
  const { seq: twice } = findTwice(entries, ({ id }) => id) ?? {}
  if (twice !== undefined) throw refused('entries', `entry ${twice} has the id of an earlier entry`)
  const { turn: again } = findTwice(turns, ({ key }) => key) ?? {}
  if (again !== undefined) throw refused('turns', `turn ${again} has the key of an earlier turn`)
  checkTogether(entries, turns)
}

function checkEntry({ seq, turn }: StoredEntry, before: StoredEntry | undefined): void {
  if (!isCount(seq, 1))
    throw refused('entries', `an entry has the place ${seq}: expected a whole number from 1 on`)
  if (before && seq !== before.seq + 1)
    throw refused(
      'entries',
      `entry ${seq} comes after ${before.seq}: entries must be in order, without gaps`,
    )
  if (!isCount(turn))
    throw refused('entries', `entry ${seq} has the turn ${turn}: expected a whole number from 0 on`)
}

function checkTurn(
  turn: StoredTurn,
  before: StoredTurn | undefined,
  from: number,
  to: number,
): void {
  const { turn: number, status, first, last, startedAt, endedAt } = turn
  const refuse = (problem: string) => {
    throw refused('turns', `turn ${number} ${problem}`)
  }
  if (!isCount(number, 1)) refuse('needs a number from 1 on')
  if (before && number !== before.turn + 1)
    refuse(`comes after turn ${before.turn}: turns must be in order, without gaps`)
  if (!inputs.turnStatuses.includes(status))
    refuse(`has the unknown status "${status}": use one of ${inputs.turnStatuses.join(', ')}`)
  if (!isCount(first) || !isCount(last))
    refuse(`goes from ${first} to ${last}: expected places of entries`)
  // A turn without entries has `last` just before `first`.
  if (first < from || last > to || last < first - 1)
    refuse(`goes from ${first} to ${last}, outside of the stretch from ${from} to ${to}`)
  if (before && first <= before.last) refuse(`begins at ${first}, inside turn ${before.turn}`)
  if (!Number.isSafeInteger(startedAt)) refuse(`has startedAt ${startedAt}: expected milliseconds`)
  if (endedAt !== undefined && !Number.isSafeInteger(endedAt))
    refuse(`has endedAt ${endedAt}: expected milliseconds`)
  if (before?.status === 'open') refuse('comes after an open one')
  if (status === 'open' && (last !== to || endedAt !== undefined)) refuse('is open, but has ended')
}

/** Refuses a turn whose places have entries of another turn, or whose entries stand outside of it. */
function checkTogether(entries: readonly StoredEntry[], turns: readonly StoredTurn[]): void {
  let at = 0
  for (const { seq, turn } of entries) {
    while (at < turns.length && turns[at]!.last < seq) at++
    const around = turns[at]
    const expected = around && around.first <= seq ? around.turn : 0
    if (turn !== expected)
      throw refused('entries', `entry ${seq} says turn ${turn}, where turn ${expected} should be`)
  }
}

function findTwice<T>(all: readonly T[], nameOf: (one: T) => string | undefined): T | undefined {
  const seen = new Set<string>()
  return all.find(one => {
    const name = nameOf(one)
    return name !== undefined && seen.size === seen.add(name).size
  })
}

const refused = (option: string, problem: string) => new InvalidOptionError(option, problem)
