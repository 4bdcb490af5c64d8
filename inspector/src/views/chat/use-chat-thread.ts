import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { bareRowsQuery, lastPointQuery, writtenQuery } from '../../api/chat-queries.ts'
import { callsQuery, threadsQuery, turnsQuery } from '../../api/queries.ts'
import type { ViewPlace } from '../../parts/address.ts'
import { readFates, runAt } from '../../parts/fate-runs.ts'
import { versionsOf } from './branch-tree.ts'
import { broughtOf } from './brought-of.ts'
import { cutOf } from './cut-of.ts'
import type { LiveReply } from './live-replies.ts'
import { replyMetas } from './reply-metas.ts'
import { usualActor, usualBranch } from './thread-name.ts'

/** The facts about the messages of a thread: its last call, branches and turns. */
export type ThreadFacts = ReturnType<typeof useChatThread>['facts']

interface ChatThreadOptions {
  readonly live: LiveReply | undefined
  readonly mayInspect: boolean
}

/** What the chat reads of its thread: the branches, where it ends, and what became of its messages in the last call. */
export function useChatThread(
  { conversation, thread, search }: ViewPlace,
  { live, mayInspect }: ChatThreadOptions,
) {
  const { actor = usualActor, branch = usualBranch } = search
  const threads = useQuery(threadsQuery(conversation))
  const branches = useMemo(
    () => (threads.data?.threads ?? []).filter(one => one.actor === actor),
    [threads.data, actor],
  )
  const shownBranch = branches.find(one => one.branch === branch)
  const head = shownBranch?.head ?? 0
  /** While an edited message is answered, the entries before it are those of the old branch. */
  const base = live ? live.from : thread
  const shownHead = live ? live.upTo : head
  const isThere = shownBranch !== undefined

  const turns = useQuery({ ...turnsQuery(base), enabled: isThere || live !== undefined }).data?.turns
  const point =
    useQuery({ ...lastPointQuery(thread, head), enabled: mayInspect && head > 0 }).data ?? undefined
  const rows = useQuery({ ...bareRowsQuery(thread, point), enabled: mayInspect && point !== undefined }).data
  const calls = useQuery({ ...callsQuery(thread, 200), enabled: mayInspect && isThere }).data?.calls

  const lastTurn = turns?.at(-1)
  const written = useQuery({
    ...writtenQuery(thread, lastTurn, point?.factor),
    enabled: mayInspect && !live && lastTurn !== undefined && lastTurn.last === head,
  }).data
  const facts = useMemo(
    () => ({
      point,
      runs: readFates(point?.fates ?? ''),
      cut: cutOf(point),
      brought: broughtOf(rows ?? []),
      versions: versionsOf(branches, branch),
      metas: replyMetas(calls ?? [], lastTurn?.turn, written),
      turnOf: (seq: number) => turns && runAt(turns, seq),
    }),
    [point, rows, branches, branch, calls, turns, lastTurn, written],
  )
  return { threads, branches, head, base, shownHead, isThere, rows, facts }
}
