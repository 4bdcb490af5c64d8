import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { bareRowsQuery, lastPointQuery, writtenQuery } from '../../api/chat-queries.ts'
import type { AnswerOf } from '../../api/client.ts'
import type { ThreadAddress } from '../../api/queries.ts'
import { callsQuery, threadsQuery, turnsQuery, usualActor, usualBranch } from '../../api/queries.ts'
import type { Stretch, TimelinePoint } from '../../api/timeline.ts'
import type { ConversationSearch, ViewPlace } from '../../parts/address.ts'
import { type Fate, type FateRun, readFates, runAt } from '../../parts/fates.ts'
import { amountOf, isShown } from '../../parts/format.ts'
import type { LiveReply } from '../../parts/live-replies.ts'
import { versionsOf } from './branch-tree.ts'
import { broughtOf } from './chat-rows.ts'

/** The facts about the messages of a thread: its last call, branches and turns. */
export type ThreadFacts = ReturnType<typeof useChatThread>['facts']

/** What can be done with a message. The same object for as long as the thread is shown. */
export interface RowActions {
  readonly select: (seq: number | undefined) => void
  readonly edit: (seq: number, text: string | undefined) => void
  readonly sendEdit: (seq: number, text: string) => void
  readonly again: (seq: number) => void
  readonly branch: (seq: number) => void
  readonly open: (branch: string) => void
  /** Puts another branch beside the one that is shown; undefined closes the comparison. */
  readonly compare: (branch: string | undefined) => void
}

/** What all rows of a chat share. */
export interface RowContext extends ThreadFacts {
  readonly thread: ThreadAddress
  readonly search: ConversationSearch
  /** The last entry of the thread, and the last one that is shown of it. */
  readonly head: number
  readonly shownHead: number
  readonly selected: number | undefined
  /** The message that is being edited, and its text now. */
  readonly editing: { readonly seq: number; readonly text: string } | undefined
  readonly mayChat: boolean
  readonly actions: RowActions
}

/** What the chat reads of its thread: the branches, where it ends, and what became of its messages in the last call. */
export function useChatThread(place: ViewPlace, live: LiveReply | undefined, mayInspect: boolean) {
  const { conversation, thread, search } = place
  const { actor = usualActor, branch = usualBranch } = search
  const threads = useQuery(threadsQuery(conversation))
  const branches = useMemo(
    () => (threads.data?.threads ?? []).filter(one => one.actor === actor && isShown(one, branch)),
    [threads.data, actor, branch],
  )
  const shownBranch = branches.find(one => one.branch === branch)
  const head = shownBranch?.head ?? 0
  /** While an edited message is answered, the entries before it are those of the old branch. */
  const base = live ? live.from : thread
  const shownHead = live ? live.upTo : head
  const isThere = shownBranch !== undefined

  const turns = useQuery({ ...turnsQuery(base), enabled: isThere || live !== undefined }).data
    ?.turns
  const point =
    useQuery({ ...lastPointQuery(thread, head), enabled: mayInspect && head > 0 }).data ?? undefined
  const { sent: rows, stretches = noStretches } =
    useQuery({ ...bareRowsQuery(thread, point), enabled: mayInspect && point !== undefined })
      .data ?? {}
  const calls = useQuery({ ...callsQuery(thread, 200), enabled: mayInspect && isThere }).data?.calls

  const lastTurn = turns?.at(-1)
  const written = useQuery({
    ...writtenQuery(thread, lastTurn, point?.factor),
    enabled: mayInspect && !live && lastTurn !== undefined && lastTurn.last === head,
  }).data
  const facts = useMemo(() => {
    const runs = readFates(point?.fates ?? '')
    return {
      point,
      runs,
      cut: cutOf(point, runs),
      brought: broughtOf(rows ?? []),
      versions: versionsOf(branches, branch),
      metas: replyMetas(calls ?? [], lastTurn?.turn, written),
      turnOf: (seq: number) => turns && runAt(turns, seq),
      deletedAt: (seq: number) => deletion.exec(runAt(stretches, seq)?.why ?? '')?.[1],
    }
  }, [point, rows, stretches, branches, branch, calls, turns, lastTurn, written])
  /** A client of the server writes to this branch: what is asked here must not stand where it goes on. */
  const isOfClient = shownBranch?.isOfClient ?? false
  return { threads, branches, head, base, shownHead, isThere, isOfClient, rows, facts }
}

const noStretches: readonly Stretch[] = []

/** The reason of an entry that its client has deleted. */
const deletion = /^deleted by its client at turn (\d+)$/

export interface ReplyMeta {
  readonly model: string
  readonly read?: number | undefined
  readonly written?: number | undefined
  readonly turn: number
  /** Codes of what was wrong although the model answered. */
  readonly warnings?: readonly string[] | undefined
}

/** Which model replied in a turn, and the tokens that it read in all its calls. Calls come newest first. */
function replyMetas(
  calls: AnswerOf<'get /conversations/:conversation/calls'>['calls'],
  lastTurn: number | undefined,
  written: number | undefined,
): ReadonlyMap<number, ReplyMeta> {
  const metas = new Map<number, ReplyMeta>()
  for (const { turn, model, reported, predicted, warnings } of calls) {
    const meta = metas.get(turn)
    metas.set(turn, {
      turn,
      model: meta?.model ?? model,
      read: (meta?.read ?? 0) + (reported ?? predicted),
      warnings: [...new Set([...(meta?.warnings ?? []), ...warnings])],
    })
  }
  const last = metas.get(lastTurn ?? 0)
  if (last && written !== undefined) metas.set(last.turn, { ...last, written })
  return metas
}

/** Where the model begins to read word for word, and what became of what stands before. */
function cutOf(point: TimelinePoint | undefined, runs: readonly FateRun[]) {
  const before = point?.cut?.before
  if (before === undefined || before <= 1) return undefined
  const earlier = runs.filter(({ first }) => first < before)
  const pieces = Object.entries(cutWords).flatMap(([fate, words]) => {
    const those = earlier.filter(run => run.fate === fate)
    const amount = those.reduce(
      (sum, { first, last }) => sum + Math.min(last, before - 1) - first + 1,
      0,
    )
    return amount > 0 ? [`${amount} ${words}`] : []
  })
  return {
    before,
    about: `${amountOf(before - 1, 'earlier message')}${pieces.length > 0 ? `: ${pieces.join(', ')}` : ''}`,
  }
}

const cutWords: Partial<Record<Fate, string>> = {
  kept: 'always sent',
  cleared: 'as a line each',
  digested: 'shortened',
  recalled: 'brought back',
}
