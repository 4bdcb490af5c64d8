import { planRestore, timesOf } from '../rules/plan-restore.ts'
import * as rules from '../rules/write-rules.ts'
import type { Begun, NewEntry, RestoreEntries, Store, ThreadKey } from '../store.ts'
import * as errors from '../store-error.ts'
import { listOf, storedStretch, toBirth, unborn } from './branch-births.ts'
import * as branches from './branch-facts.ts'
import {
  type Base,
  type BranchStatement,
  type Guard,
  guardOf,
  writeBranch,
  writeStretch,
} from './branch-statements.ts'
import { type Row, runSteps } from './database.ts'
import { listTimes } from './list-times.ts'
import { durable, type PostgresContext } from './postgres-context.ts'
import { keyOf, toRecords } from './rows.ts'
import { isBranch, linesOf, withPlace } from './schema/fragments.ts'
import { wordHashes } from './word-hashes.ts'
import type { WordIndexer } from './word-indexer.ts'

type Facts = branches.BranchFacts

/**
 * The rules decide. Where a writer knows how its branch stands, and mostly it does, the rule is asked about a branch like that, and
 * the statement writes only if it is so: one round trip. In doubt the branch is read, and written if it is still as it was read.
 */
export function postgresWrites(
  context: PostgresContext,
  indexer: WordIndexer,
  reads: Pick<Store, 'entries' | 'turns'>,
) {
  const { database, schema } = context

  /** Branches that were seen to share a past. The others need no look at one. */
  const forks = new Set<string>()
  const times = listTimes()

  async function send({ text, values, steps }: BranchStatement): Promise<Row | undefined> {
    const row = await (context.isDistributed
      ? runSteps(database, steps())
      : database.tryWrite(text, values))
    if (row) indexer.wake()
    return row
  }

  /** Writes a change without the entries that are stored. Undefined if the branch is not as the base says. */
  async function apply(
    thread: ThreadKey,
    state: rules.BranchState,
    base: Base,
    change: rules.Change,
  ) {
    const { closes, opens, ends, lease, call, marks = [] } = change
    const isNew = ({ id }: { readonly id: string }) => state.seqOf(id) === undefined
    const left = toRecords(thread, closes?.entries ?? []).filter(isNew)
    const ids = new Set(left.map(({ id }) => id))
    const added = toRecords(thread, change.entries).filter(
      entry => isNew(entry) && !ids.has(entry.id),
    )
    const write = {
      ...{ opens, ends, closes, call, marks, closing: left.length, entries: [...left, ...added] },
      ...(lease && {
        lease: {
          owner: lease.owner,
          ms: lease.ms,
          isNew: opens !== undefined || lease.epoch !== state.epoch,
        },
      }),
      isUse: rules.isUse(change),
      isSeed: state.open === undefined && !opens,
      isListed: rules.isUse(change) && times.isDue(thread),
    }
    // Where all is stored already, so is the rest.
    const isDone = change.entries.length > 0 && added.length === 0 && !opens && !ends
    if (isDone) return { head: state.head, row: undefined }
    const sent = times.now()
    const row = await send(writeBranch(context, thread, base, write))
    if (row && write.isListed) times.note(thread, sent)
    return row && { head: state.head + write.entries.length, row }
  }

  /** Writes what a rule decides about the branch as it is; again if it has changed meanwhile. */
  async function decide<Answer>(
    thread: ThreadKey,
    needs: branches.FactNeeds,
    work: (facts: Facts) => Promise<Answer | undefined>,
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const facts = await branches.readFacts(context, thread, needs)
      if (facts.forkOf) remember(nameOf(thread))
      const answer = await work(facts).catch(async error => {
        // After the clock went back a lease begins anew: a living holder renews it, a dead one is not waited for.
        if (facts.heldUntil !== facts.leaseUntil) await shorten(thread, facts)
        throw error
      })
      if (answer !== undefined) return answer
      if (attempt === mostAttempts)
        throw new errors.StoreError(
          'store_busy',
          `Others wrote to it ${attempt} times meanwhile: retry.`,
        )
      await new Promise(resolve => setTimeout(resolve, Math.random() * 4 * attempt))
    }
  }

  const shorten = (thread: ThreadKey, { leaseUntil, heldUntil }: Facts) =>
    database.write(
      `update ${schema}.branches b set lease_until = $5 where ${isBranch} and b.lease_until = $4`,
      [...keyOf(thread), leaseUntil, heldUntil],
    )

  /** What a rule decides about a branch that is as its writer hopes; undefined if it is not, or the rule refuses it. */
  async function hope(
    thread: ThreadKey,
    hoped: Partial<rules.BranchState>,
    base: Base,
    rule: (state: rules.BranchState) => rules.Change | undefined,
  ) {
    const state = branches.hopedFacts(thread, hoped)
    const change = rule(state)
    return change && apply(thread, state, base, change)
  }

  /** Before its first entry a branch is mostly not there. */
  const hopedBase = (thread: ThreadKey, head: number): Base =>
    head === 0 ? unwritten : guarded(thread, { isOpen: false, head })

  const guarded = (thread: ThreadKey, guard: Guard): Base => ({
    guard: { ...guard, isFork: forks.has(nameOf(thread)) },
  })

  /** Appends, ends and renews: the writer holds the lease, and mostly knows the head. */
  async function goOn(
    thread: ThreadKey,
    {
      lease,
      expectedHead,
      entries = [],
    }: Partial<Parameters<Store['append']>[1]> & Pick<Parameters<Store['append']>[1], 'lease'>,
    rule: (state: rules.BranchState) => rules.Change | undefined,
    needs: branches.FactNeeds = {},
  ): Promise<{ head: number }> {
    const { owner, epoch } = lease
    const head = expectedHead === undefined ? {} : { head: expectedHead }
    const quick = await hope(
      thread,
      { open: 1, owner, epoch, ...head },
      guarded(thread, { isOpen: true, owner, epoch, ...head }),
      rule,
    )
    if (quick) return { head: quick.head }
    return decide(thread, { ...needs, ids: idsOf(entries) }, async facts => {
      const change = rule(branches.needBranch(facts))
      return change
        ? headOf(await apply(thread, facts, baseOf(facts), change))
        : { head: facts.head }
    })
  }

  async function begin(thread: ThreadKey, turn: Parameters<Store['begin']>[1]): Promise<Begun> {
    const { owner, key, body, expectedHead: head, closing, entries } = turn
    const rule = (state: rules.BranchState) => rules.beginTurn(state, turn)
    const begun = ({ row }: { readonly row: Row | undefined }): Begun => {
      const [number, last] = [Number(row!.turns), Number(row!.head)]
      const names = { ...(key !== undefined && { key }), ...(body !== undefined && { body }) }
      const place = { first: last - Number(row!.added) + 1, last, startedAt: Number(row!.now) }
      const lease = { owner, epoch: Number(row!.epoch) }
      return {
        kind: 'begun',
        turn: { turn: number, status: 'open', ...place, ...names },
        lease,
        head: last,
      }
    }
    if (head !== undefined) {
      const toChange = (state: rules.BranchState) => rule(state) as rules.Change
      const quick = await hope(thread, { head }, hopedBase(thread, head), toChange)
      if (quick) return begun(quick)
    }
    const needs = {
      ids: idsOf([...(closing?.entries ?? []), ...entries]),
      keys: key === undefined ? [] : [key],
    }
    return decide(thread, needs, async facts => {
      const change = rule(branches.makeBranch(facts))
      if ('replayed' in change) return { kind: 'replayed', turn: change.replayed, head: facts.head }
      const written = await apply(thread, facts, baseOf(facts), change)
      if (!written) return undefined
      return change.opens ? begun(written) : taken(facts, change)
    })
  }

  function remember(name: string): void {
    if (forks.size >= mostForks) forks.clear()
    forks.add(name)
  }

  /** A turn that goes on, for its holder or for another one. */
  const taken = (facts: Facts, { lease }: rules.Change) =>
    rules.begunOf({ ...facts, owner: lease!.owner, epoch: lease!.epoch })

  return {
    begin,
    resume: (thread, turn) =>
      decide(thread, {}, async facts => {
        const change = facts.line === undefined ? undefined : rules.resumeTurn(facts, turn)
        if (!change) return { begun: undefined }
        return (
          (await apply(thread, facts, baseOf(facts), change)) && { begun: taken(facts, change) }
        )
      }).then(({ begun }) => begun),
    append: (thread, append) => goOn(thread, append, state => rules.appendEntries(state, append)),
    end: (thread, end) =>
      goOn(thread, end, state => rules.endTurn(state, end), { epoch: end.lease.epoch }),
    async renew(thread, lease, leaseMs) {
      await goOn(thread, { lease }, state => rules.renewLease(state, lease, leaseMs))
    },
    async seed(thread, seed) {
      const { expectedHead: head, entries } = seed
      const rule = (state: rules.BranchState) => rules.seedEntries(state, seed)
      const quick = await hope(thread, { head }, hopedBase(thread, head), rule)
      if (quick) return { head: quick.head }
      return decide(thread, { ids: idsOf(entries) }, async facts => {
        const change = rule(branches.makeBranch(facts))
        return change
          ? headOf(await apply(thread, facts, baseOf(facts), change))
          : { head: facts.head }
      })
    },
    async fork(thread, { at, branch }) {
      const fork = { ...thread, branch }
      await decide(thread, { at }, async facts => {
        const parent = branches.needBranch(facts)
        const existing = await branches.readFacts(context, fork, {})
        if (isForkOf(existing, thread.branch, at)) return true
        if (existing.line !== undefined) throw errors.branchExists(branch)
        const birth = await toBirth(reads, parent, at)
        return send(
          writeStretch(context, fork, { birth }, { turns: [] }, { entries: [], last: undefined }),
        )
      })
    },
    async erase(thread, seq, mark) {
      const [entry] = await listOf(reads.entries(thread, { from: seq, to: seq }))
      const [record] = toRecords(thread, entry ? [{ ...entry, ...mark }] : [])
      await database.transaction(async query => {
        // The lock keeps calls and caches of these texts from being saved meanwhile.
        const lines = await query(lockSql(context), keyOf(thread).slice(0, 2))
        const own = lines.find(({ branch }) => branch === thread.branch)
        if (!own) return branches.needBranch(await branches.readFacts(context, thread, {}))
        if (!entry || !record) return undefined
        const words = wordHashes(thread.tenant, mark.payload) ?? []
        const values = [seq, record.payload, record.tokens, record.checksum, words, entry.turn]
        const all = lines.map(({ line }) => line)
        await query(eraseSql(schema), [...keyOf(thread), ...values, all])
      })
      return entry !== undefined
    },
    restore: (thread, stretch) =>
      decide(thread, { ids: idsOf(stretch.entries), keys: keysOf(stretch) }, async facts => {
        const { forkOf } = stretch
        branches.makeBranch(facts)
        const isThere = facts.line !== undefined
        const time = facts.createdAt ?? timesOf(stretch)?.first
        if (isThere && forkOf && !isForkOf(facts, forkOf.branch, forkOf.at))
          throw errors.forkedElsewhere(thread.branch)
        const of = { ...thread, branch: forkOf?.branch ?? thread.branch }
        const needs = { ids: idsOf(stretch.entries), at: forkOf?.at ?? 0 }
        const parent = isThere || !forkOf ? undefined : await branches.readFacts(context, of, needs)
        if (parent && parent.line === undefined) throw errors.noParent(of.branch)
        const birth = parent
          ? await toBirth(reads, parent, forkOf!.at, time)
          : { head: 0, turns: 0, time }
        const state = parent ? unborn(thread, parent, birth) : facts
        const fresh = planRestore(
          await storedStretch(reads, state, parent ? of : thread, stretch),
          stretch,
        )
        const last = timesOf(fresh)?.last
        if (isThere && last === undefined) return { head: facts.head }
        const base = isThere ? { guard: guardOf(facts) } : { birth }
        const entries = toRecords(thread, fresh.entries)
        const row = await send(writeStretch(context, thread, base, fresh, { entries, last }))
        return row && { head: state.head + entries.length }
      }),
  } satisfies Partial<Store>
}

const mostAttempts = 20

const headOf = (written: { readonly head: number } | undefined) => written && { head: written.head }

const idsOf = (entries: readonly NewEntry[]) => entries.map(({ id }) => id)

const keysOf = ({ turns }: RestoreEntries) =>
  turns.flatMap(({ key }) => (key === undefined ? [] : [key]))

/** How many forks are remembered. */
const mostForks = 10_000

const nameOf = (thread: ThreadKey) => JSON.stringify(keyOf(thread))

const unwritten: Base = { birth: { head: 0, turns: 0 } }

const baseOf = (facts: Facts): Base =>
  facts.line === undefined ? unwritten : { guard: guardOf(facts) }

const isForkOf = ({ forkOf }: Facts, branch: string, at: number) =>
  forkOf?.branch === branch && forkOf.at === at

const lockSql = (context: PostgresContext) => `
  select line, branch from ${context.schema}.branches
  where key = $1 and actor = $2 and ${durable(context)} order by branch for update`

/** Words of an entry that waits for the index have no row, and are read later. */
const eraseSql = (schema: string) => `
  with place as (
    select l.line from ${schema}.branches b cross join ${linesOf} where ${isBranch} and $4::integer between l.first and l.last
  ), word as (
    update ${schema}.words w set words = $8::integer[] from place p where w.key = $1 and w.line = p.line and w.seq = $4
  ), cache as (
    delete from ${schema}.caches where key = $1 and line = any($10::integer[])
  ), call as (
    delete from ${schema}.calls where key = $1 and line = any($10::integer[]) and turn >= $9
  )
  update ${schema}.entries e set payload = $5, tokens = $6, checksum = ${withPlace('$7::bigint', 'e.seq', 'e.turn')}
    from place p where e.key = $1 and e.line = p.line and e.seq = $4`
