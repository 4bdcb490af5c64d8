import { InvalidOptionError } from '../log/error.ts'
import { isCount } from '../log/is-count.ts'
import {
  checkCall,
  checkEndStatus,
  checkEntries,
  checkLeaseMs,
  checkLimit,
  checkMarks,
  checkName,
  checkNames,
  checkPage,
  checkPerson,
  checkPlace,
  checkRange,
  checkThread,
  checkTime,
  defaultMaxEntryBytes,
  turnStatuses,
} from './check-input.ts'
import { erasedPrefix } from './erased.ts'
import { notAPlace } from './rules/refusals.ts'
import type {
  AppendEntries,
  Lease,
  NewEntry,
  RestoreEntries,
  Store,
  StoredEntry,
  StoredTurn,
} from './store.ts'

/**
 * A store with its input checked: names, sizes, numbers, and texts that some databases change. What is refused does not
 * reach the store. Every built-in store is made with it.
 */
export function checkedStore(store: Store, maxEntryBytes = defaultMaxEntryBytes): Store {
  const checkNew = (entries: readonly NewEntry[]) => checkEntries(entries, maxEntryBytes)
  const checkLease = ({ owner, epoch }: Lease) => {
    checkNames({ owner })
    checkPlace('epoch', epoch)
  }
  const checkAppend = ({ lease, expectedHead, entries, call, marks = [] }: AppendEntries) => {
    checkLease(lease)
    checkPlace('expectedHead', expectedHead)
    checkNew(entries)
    checkMarks(marks)
    if (call) checkCall(call, maxEntryBytes)
  }
  return {
    ...store,
    ...withChecks(store, checkThread, {
      begin(_, { owner, leaseMs, expectedHead, key, body, closing, entries, marks = [] }) {
        checkNames({ owner, key, body, error: closing?.error })
        checkLeaseMs(leaseMs)
        checkPlace('expectedHead', expectedHead)
        if (closing?.status !== undefined) checkEndStatus(closing.status)
        checkNew(closing?.entries ?? [])
        checkNew(entries)
        checkMarks(marks)
      },
      resume(_, { owner, leaseMs }) {
        checkNames({ owner })
        checkLeaseMs(leaseMs)
      },
      append: (_, append) => checkAppend(append),
      end(_, end) {
        checkNames({ error: end.error })
        checkEndStatus(end.status)
        checkAppend(end)
      },
      renew(_, lease, leaseMs) {
        checkLease(lease)
        checkLeaseMs(leaseMs)
      },
      seed(_, { expectedHead, entries }) {
        checkPlace('expectedHead', expectedHead)
        checkNew(entries)
      },
      restore: (_, stretch) => checkStretch(stretch, maxEntryBytes),
      fork(thread, { at, branch }) {
        checkThread({ ...thread, branch })
        if (!isCount(at)) throw notAPlace(at)
        checkPlace('at', at)
      },
      head: () => {},
      turns: () => {},
      saveCall: (_, call) => checkCall(call, maxEntryBytes),
      calls: (_, { limit } = {}) => checkLimit(limit),
      saveCache(_, key, at) {
        checkName('key of the cache', key)
        checkPlace('at', at)
      },
      loadCache: (_, key) => checkName('key of the cache', key),
      saveMarks: (_, marks) => checkMarks(marks),
      erase(_, seq, { payload }) {
        checkPlace('seq', seq)
        if (!payload.startsWith(erasedPrefix))
          throw refused('mark', `a payload that begins with ${erasedPrefix}`)
      },
    }),
    ...withChecks(store, (tenant: string) => checkName('tenant', tenant), {
      deleteCalls: (_, before) => checkTime('before', before),
      findMarks(_, marks, { limit } = {}) {
        for (const mark of marks) checkName('mark', mark)
        checkLimit(limit)
      },
      conversations: (_, page = {}) => checkPage(page),
      describeConversation: (_, conversation) => checkName('conversation', conversation),
      findWords(_, words, { limit, person, conversation } = {}) {
        for (const forms of words) for (const form of forms) checkName('word', form)
        checkLimit(limit)
        checkNames({ conversation })
        if (person !== undefined) checkPerson(person)
      },
      deleteConversation(_, conversation, { unusedSince } = {}) {
        checkName('conversation', conversation)
        if (unusedSince !== undefined) checkTime('unusedSince', unusedSince)
      },
    }),
    entries: (thread, range = {}) => ({
      [Symbol.asyncIterator]() {
        checkThread(thread)
        checkRange(range)
        return store.entries(thread, range)[Symbol.asyncIterator]()
      },
    }),
  }
}

type Guards = {
  readonly [Method in keyof Store]?: (...input: Parameters<Store[Method]>) => void
}

/** Methods that check what they are about, then the rest of their input, then ask the store. */
function withChecks<First>(store: Store, checkFirst: (first: First) => void, checks: Guards): Partial<Store> {
  const methods = store as unknown as Readonly<Record<string, (...input: unknown[]) => unknown>>
  const checked = Object.entries(checks as Readonly<Record<string, (...input: unknown[]) => void>>).map(
    ([name, check]) => [
      name,
      async (...input: unknown[]) => {
        checkFirst(input[0] as First)
        check(...input)
        return methods[name]!(...input)
      },
    ],
  )
  return Object.fromEntries(checked)
}

/**
 * Refuses a stretch that no store could have exported: places and turns must have no gaps, and each turn must be whole.
 * The content of this store is not looked at.
 */
function checkStretch({ entries, turns, forkOf }: RestoreEntries, maxEntryBytes: number): void {
  checkEntries(entries, maxEntryBytes)
  for (const { error, key, body } of turns) checkNames({ error, key, body })
  checkNames({ forkOf: forkOf?.branch })
  if (forkOf && !isCount(forkOf.at)) throw notAPlace(forkOf.at)
  checkPlace('forkOf', forkOf?.at)
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
      `entry ${seq} comes after entry ${before.seq}: entries must be in order, without gaps`,
    )
  if (!isCount(turn))
    throw refused('entries', `entry ${seq} has the turn ${turn}: expected a whole number from 0 on`)
}

function checkTurn(turn: StoredTurn, before: StoredTurn | undefined, from: number, to: number): void {
  const { turn: number, status, first, last, startedAt, endedAt } = turn
  const refuse = (problem: string) => {
    throw refused('turns', `turn ${number} ${problem}`)
  }
  if (!isCount(number, 1)) refuse('needs a number from 1 on')
  if (before && number !== before.turn + 1)
    refuse(`comes after turn ${before.turn}: turns must be in order, without gaps`)
  if (!turnStatuses.includes(status))
    refuse(`has the unknown status "${status}": use one of ${turnStatuses.join(', ')}`)
  if (!isCount(first) || !isCount(last)) refuse(`goes from ${first} to ${last}: expected places of entries`)
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
