import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { ask, queryClient } from '../../api/client.ts'
import { keepTrying } from '../../api/connection.ts'
import {
  conversationQuery,
  inConversation,
  serverQuery,
  splitPlace,
  usualActor,
  usualBranch,
} from '../../api/queries.ts'
import { type ConversationSearch, usePlace, viewAt } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { isBegunHere, newConversationName, titleOf } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import {
  askReply,
  drafts,
  type ReplyRequest,
  replies,
  stopReply,
} from '../../parts/live-replies.ts'
import { notify } from '../../parts/notify.ts'
import { EmptyState, QueryFault, Skeleton } from '../../parts/query-state.tsx'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { BranchGraph } from './branch-graph.tsx'
import { ChatStrip } from './chat-strip.tsx'
import styles from './chat-view.module.css'
import { Composer, chosenModel } from './composer.tsx'
import { Messages, type MessagesControl } from './messages.tsx'
import type { RowActions } from './use-chat-thread.ts'
import { useChatThread } from './use-chat-thread.ts'
import { WindowLine } from './window-line.tsx'

const BranchComparison = lazy(() =>
  keepTrying(async () => ({ default: (await import('./branch-comparison.tsx')).BranchComparison })),
)

/** The conversation as its user sees it: read, answered, edited and branched here. Notes never come into this view. */
export function ChatView() {
  const place = usePlace()
  const { conversation, thread, search, go } = place
  const navigate = useNavigate()
  const { actor = usualActor, branch = usualBranch } = search
  const { data: server, isPending: isServerLoading } = useQuery(serverQuery)
  const mayChat = server?.scopes.includes('chat') ?? false
  const mayInspect = server?.scopes.includes('inspect') ?? false
  const info = useQuery(conversationQuery(conversation)).data
  const title = titleOf(info ?? { conversation })
  const live = replies.use(thread)
  const chosen = chosenModel.use()
  const read = useChatThread(place, live, mayInspect)
  const { threads, branches, head, base, shownHead, isThere, isOfClient, rows, facts } = read
  const { point, versions, turnOf } = facts
  const placeless = useMemo(() => ({ ...search, ...noMoment }), [search])
  const isNew = threads.error instanceof ApiError && threads.error.status === 404

  const [editing, setEditing] = useState<{ readonly seq: number; readonly text: string }>()
  const [sight, setSight] = useState<readonly [number, number]>([1, 1])
  const onSight = useCallback((first: number, last: number) => setSight([first, last]), [])
  const control = useRef<MessagesControl>(undefined)
  const area = useRef<HTMLTextAreaElement>(null)

  const openBranch = (name: string, { push = true } = {}) =>
    go({ ...noMoment, branch: name === usualBranch ? undefined : name }, { push })

  async function answer(request: ReplyRequest) {
    const isBeside = request.kind === 'send' && isOfClient
    const beside = isBeside ? await fork(head) : undefined
    if (isBeside && beside === undefined) return drafts.set(thread, request.input)
    const from = beside === undefined ? thread : { ...thread, branch: beside }
    const { thread: where, begun } = askReply(from, head, { ...request, model: chosen })
    const isElsewhere = where !== from
    if (isElsewhere) openBranch(where.branch!)
    if (await begun) return
    // Nothing was written: back to the branch of the request.
    if (isElsewhere) openBranch(branch, { push: false })
    if (request.kind === 'edit') setEditing({ seq: request.at, text: request.input })
  }

  const actions = useStable<RowActions>({
    select: seq => go({ entry: seq }),
    edit: (seq, text) => setEditing(text === undefined ? undefined : { seq, text }),
    sendEdit(seq, text) {
      setEditing(undefined)
      void answer({ kind: 'edit', input: text, at: seq, first: turnOf(seq)?.first ?? seq })
    },
    again(seq) {
      // The messages of the user that begin the turn stay. Without it, turns are not read yet: all before the reply stay.
      void answer({ kind: 'again', at: seq, upTo: turnOf(seq)?.first ?? seq - 1 })
    },
    branch: seq => void fork(turnOf(seq)?.last ?? seq),
    open: name => openBranch(name),
    compare: name => go({ beside: name }, { push: true }),
  })

  async function fork(at: number) {
    const { params, thread: query } = splitPlace(thread)
    try {
      const made = await ask('post /conversations/:conversation/fork', {
        params,
        query,
        body: { at },
      })
      await queryClient.invalidateQueries({ queryKey: inConversation(conversation) })
      openBranch(made.branch)
      area.current?.focus()
      return made.branch
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), 'danger')
      return undefined
    }
  }
  const startNew = () => void navigate(viewAt('chat', newConversationName()))

  const goVersion = (by: number) => {
    const alternatives =
      versions.get(search.entry ?? 0) ?? versions.get(Math.max(...versions.keys()))
    const next = alternatives?.versions[alternatives.current + by]
    if (next) openBranch(next.open)
  }
  const step = (by: 1 | -1) => {
    const next = control.current?.next(search.entry ?? (by > 0 ? sight[0] - 1 : sight[1] + 1), by)
    if (next !== undefined) go({ entry: next })
  }
  useKeys('Chat', [
    { keys: 'c', does: 'write a message', run: () => area.current?.focus() },
    { keys: 'j', does: 'next message', run: () => step(1) },
    { keys: 'k', does: 'message before', run: () => step(-1) },
    { keys: ']', does: 'next version', run: () => goVersion(1) },
    { keys: '[', does: 'version before', run: () => goVersion(-1) },
    { keys: 'End', does: 'newest message', run: () => control.current?.toEnd() },
    {
      keys: 'Escape',
      does: live ? 'stop the reply' : 'clear the selection',
      run: () => (live ? void stopReply(thread) : go({ entry: undefined })),
      isEverywhere: true,
    },
  ])

  // In a new conversation the only thing to do is to write.
  useEffect(() => {
    if (isNew && mayChat) area.current?.focus()
  }, [isNew, mayChat])

  const isSmall = useMedia(isNarrow)
  const mayAct = mayChat && !live
  const chat = useMemo(
    () => ({
      ...facts,
      thread: base,
      search: placeless,
      head,
      shownHead,
      selected: search.entry,
      editing,
      mayChat: mayAct,
      actions,
    }),
    [facts, base, placeless, head, shownHead, search.entry, editing, mayAct, actions],
  )

  // What this key may see decides what is read: without it, everything would be read twice.
  if (isServerLoading) return <Skeleton />
  if (threads.data === undefined && !isNew && !live)
    return threads.error ? (
      <QueryFault error={threads.error} onRetry={() => void threads.refetch()} />
    ) : (
      <Skeleton />
    )
  if (!isNew && !isThere && !live)
    return (
      <EmptyState
        title={`There is no branch “${branch}” of “${actor}” here`}
        action={
          <Button
            onClick={() =>
              go({
                actor: threads.data?.threads[0]?.actor,
                branch: threads.data?.threads[0]?.branch,
              })
            }
          >
            Open the first one
          </Button>
        }
      >
        It may have another name, or belong to another actor.
      </EmptyState>
    )
  const model = chosen ?? server?.model
  // An old address may name a branch that is gone.
  const beside = branches.some(one => one.branch === search.beside) ? search.beside : undefined
  const moment = { ...placeless, turn: point?.turn || undefined, call: point?.call }
  return (
    <div className={`view ${styles.chat}`}>
      <h1 className="hidden">{title}: chat</h1>
      {mayInspect && head > 0 && (
        <aside
          className={`on-canvas line-below ${styles.window}`}
          aria-label="The window of the last call"
        >
          {point && rows && <WindowLine {...{ search: moment, point, rows }} />}
        </aside>
      )}
      {!isSmall && (
        <BranchGraph
          {...{ conversation, search: placeless, branches, mayChat }}
          current={branch}
          onFork={() => void fork(head)}
          onNew={startNew}
          beside={beside}
          onCompare={actions.compare}
        />
      )}
      {beside !== undefined && beside !== branch ? (
        <Suspense fallback={<Skeleton />}>
          <BranchComparison
            {...{ thread, branches, mayInspect }}
            names={[branch, beside]}
            onClose={() => actions.compare(undefined)}
          />
        </Suspense>
      ) : (
        <section className={`grid slim low ${styles.thread}`} aria-label="Conversation">
          {shownHead === 0 && !live ? (
            <NothingSaid {...{ isNew, mayChat }} />
          ) : (
            <Messages
              {...{ mayInspect, live, chat, onSight, control }}
              model={model ?? 'the model'}
            />
          )}
          {server && mayChat && (
            <Composer
              {...{ thread, title, live, server, area, isOfClient }}
              hasForecast={mayInspect && isThere}
              onSend={text => void answer({ kind: 'send', input: text })}
              onStop={() => void stopReply(thread)}
            />
          )}
          {server && !mayChat && (
            <p className={styles.readonly}>
              This key may read but not write: it lacks the scope chat.
            </p>
          )}
        </section>
      )}
      <ChatStrip {...{ chat, sight }} onJump={seq => control.current?.jump(seq)} />
    </div>
  )
}

const noMoment: ConversationSearch = {
  turn: undefined,
  call: undefined,
  entry: undefined,
  beside: undefined,
}

/** A conversation without messages. If the server does not know it, the page says so: the address may be wrong. */
function NothingSaid({ isNew, mayChat }: { readonly isNew: boolean; readonly mayChat: boolean }) {
  const { conversation } = usePlace()
  const isUnknown = isNew && !isBegunHere(conversation)
  return (
    <EmptyState
      icon={<MessageSquare size={20} aria-hidden />}
      title={
        isUnknown ? `There is no conversation “${conversation}” yet` : 'Nothing has been said yet'
      }
      heading="h2"
    >
      {isUnknown && 'It may have been deleted, or have another name. '}
      {mayChat
        ? 'Your first message begins the conversation.'
        : 'This key may only read: with one that has the scope chat you can begin.'}
    </EmptyState>
  )
}

/** One stable object whose functions call the latest ones: rows that get it need not render again. */
function useStable<Value extends object>(value: Value): Value {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  const [stable] = useState(
    () => new Proxy(value, { get: (_, name) => Reflect.get(latest.current, name) }),
  )
  return stable
}
