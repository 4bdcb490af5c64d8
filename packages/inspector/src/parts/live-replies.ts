import type { ToolCall, ToolResult } from '@throughline/core/messages'
import { ApiError, AwayError } from '../api/api-error.ts'
import { blockOf, shownQuery } from '../api/chat-queries.ts'
import {
  type AnswerOf,
  askEvents,
  type BodyOf,
  queryClient,
  readQuery,
  tell,
} from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { observable } from '../api/observable.ts'
import {
  inConversation,
  serverQuery,
  splitPlace,
  type ThreadAddress,
  threadsQuery,
  usualActor,
  usualBranch,
} from '../api/queries.ts'

export type ReadResult = Omit<ToolResult, 'callId'> & {
  readonly id?: string
  readonly isError?: boolean
}

/** A call of a tool as a chat shows it. */
export type AnsweredCall = ToolCall & { readonly result?: ReadResult | undefined }

type LivePart =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | ({ readonly kind: 'call' } & AnsweredCall)

type ReplyFault = Pick<ApiError, 'code' | 'message'>

/** A reply that this page has asked for and that is being written. */
export interface LiveReply {
  /** Where it is written: a new branch after an edit. */
  readonly thread: ThreadAddress
  /** The thread whose entries stand before it, up to `upTo`. */
  readonly from: ThreadAddress
  readonly upTo: number
  /** The user's message, where it is not among the entries yet. */
  readonly input?: string | undefined
  readonly startedAt: number
  readonly state: 'asking' | 'answering' | 'stopping' | 'ended'
  readonly parts: readonly LivePart[]
  readonly warnings: readonly ReplyFault[]
  readonly fault?: ReplyFault | undefined
}

/** Replies go on while other views are open: a stream that is closed cancels its turn. */
export const replies = byThread<LiveReply>()
const controllers = new Map<string, RunningReply>()

interface RunningReply {
  readonly abort: AbortController
  id?: string
}

/** What went wrong before a turn began. */
export const refusals = byThread<ReplyFault>()

/** Texts that were typed but not sent. */
export const drafts = byThread<string>()

export type ReplyRequest = { readonly model?: string | undefined } & (
  | { readonly kind: 'send'; readonly input: string }
  /** `at`: the user message that is edited. `first`: the first entry of its turn. */
  | { readonly kind: 'edit'; readonly input: string; readonly at: number; readonly first: number }
  /** `at`: an entry of the turn. `upTo`: the last message of the user in it. */
  | {
      readonly kind: 'again'
      readonly at: number
      readonly upTo: number
      /** Another window or policy than that of the server. */
      readonly settings?: BodyOf<'post /conversations/:conversation/regenerate'>
    }
)

/** Requests a reply. `head` is the last entry of the thread. `begun`: false if the turn was refused and nothing was logged. */
export function askReply(from: ThreadAddress, head: number, request: ReplyRequest) {
  const key = newKey()
  const thread: ThreadAddress =
    request.kind === 'send' ? from : { ...from, branch: `${request.kind} ${key}` }
  const upTo =
    request.kind === 'send' ? head : request.kind === 'edit' ? request.first - 1 : request.upTo
  refusals.set(from, undefined)
  replies.set(thread, {
    thread,
    from,
    upTo,
    startedAt: Date.now(),
    state: 'asking',
    parts: [],
    warnings: [],
    input: request.kind === 'again' ? undefined : request.input,
  })
  return { thread, begun: run(thread, from, request, key) }
}

/** Names of branches that sort by the time they were made. */
const newKey = () => `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 2).toString(36)}`

/** Ends a reply. The server closes its turn and then the stream; if it does not, the stream is closed from here. */
export async function stopReply(thread: ThreadAddress): Promise<void> {
  const running = controllers.get(threadName(thread))
  const live = replies.get(thread)
  if (!running || !live || live.state === 'stopping' || live.state === 'ended') return
  replies.set(thread, { ...live, state: 'stopping' })
  if (running.id === undefined) return running.abort.abort()
  const late = setTimeout(() => running.abort.abort(), 3000)
  running.abort.signal.addEventListener('abort', () => clearTimeout(late))
  await tell('delete /replies/:reply', { params: { reply: running.id } }).catch(() =>
    running.abort.abort(),
  )
}

type StreamPart = AnswerOf<'post /conversations/:conversation/send'>

async function run(thread: ThreadAddress, from: ThreadAddress, request: ReplyRequest, key: string) {
  const name = threadName(thread)
  const running: RunningReply = { abort: new AbortController() }
  controllers.set(name, running)
  const live = collect(thread)
  let fault: ReplyFault | undefined
  let end: Extract<StreamPart, { type: 'end' }> | undefined
  try {
    for await (const { data } of eventsOf(from, request, key, running.abort.signal)) {
      if (data.type === 'reply') running.id = data.id
      else if (data.type === 'error') fault = data.error
      else if (data.type === 'end') end = data
      else live.take(data)
    }
  } catch (error) {
    if (!running.abort.signal.aborted) fault = toFault(error)
  }
  controllers.delete(name)
  live.end(fault)
  const isBegun = end ? end.turn !== undefined : !(fault && fault.code !== 'connection_lost')
  // Stopped before the first event: the turn may not have begun.
  const isUnknown = running.abort.signal.aborted && running.id === undefined
  // The draft is restored; a text that was typed meanwhile stays.
  if ((!isBegun || isUnknown) && request.kind === 'send' && !drafts.get(from))
    drafts.set(from, request.input)
  if (isBegun) await settle(thread)
  else if (fault) refusals.set(from, fault)
  replies.set(thread, undefined)
  return isBegun
}

function eventsOf(from: ThreadAddress, request: ReplyRequest, key: string, signal: AbortSignal) {
  const { params, thread: query } = splitPlace(from)
  const shared = { notes: false, model: request.model }
  const body =
    request.kind === 'send'
      ? { ...shared, input: request.input }
      : request.kind === 'edit'
        ? { ...shared, at: request.at, key, input: request.input }
        : { ...request.settings, ...shared, at: request.at, key }
  const way = request.kind === 'again' ? 'regenerate' : request.kind
  return askEvents(`post /conversations/:conversation/${way}`, { params, query, signal, body })
}

/** Keeps the parts of a reply. They are shown once in a frame, however fast they come. */
function collect(thread: ThreadAddress) {
  const parts: LivePart[] = []
  const warnings: ReplyFault[] = []
  let frame: number | undefined
  const show = (changes: Partial<LiveReply> = {}) => {
    if (frame !== undefined) cancelAnimationFrame(frame)
    frame = undefined
    const live = replies.get(thread)
    if (!live) return
    const state = live.state === 'asking' && parts.length > 0 ? 'answering' : live.state
    replies.set(thread, { ...live, state, parts: [...parts], warnings: [...warnings], ...changes })
  }
  return {
    take(part: Exclude<StreamPart, { type: 'reply' | 'error' | 'end' }>) {
      switch (part.type) {
        case 'text-delta':
        case 'thinking-delta': {
          const kind = part.type === 'text-delta' ? 'text' : 'thinking'
          const last = parts.at(-1)
          if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + part.text }
          else parts.push({ kind, text: part.text })
          break
        }
        case 'tool-call':
          parts.push({ ...part, kind: 'call' })
          break
        case 'tool-result': {
          const at = parts.findLastIndex(
            one => one.kind === 'call' && one.id === part.id && !one.result,
          )
          const call = parts[at]
          if (call?.kind === 'call') parts[at] = { ...call, result: part }
          break
        }
        case 'warning':
          warnings.push(part)
          break
        // Notes are not asked for, and the receipt is read where it is shown.
        case 'note':
        case 'context':
          return
      }
      frame ??= requestAnimationFrame(() => show())
    },
    end: (fault: ReplyFault | undefined) => show({ state: 'ended', fault }),
  }
}

function toFault(error: unknown): ReplyFault {
  if (error instanceof ApiError) return error
  if (error instanceof AwayError) return { code: 'server_away', message: error.message }
  return {
    code: 'connection_lost',
    message: 'The connection to the server broke off before the reply was whole.',
  }
}

/** Waits until the written entries are read, so that they can replace the live reply. */
async function settle(thread: ThreadAddress): Promise<void> {
  while (connection.get().state === 'away') await new Promise(resolve => setTimeout(resolve, 300))
  const { conversation, actor = usualActor, branch = usualBranch } = thread
  await queryClient.invalidateQueries({ queryKey: inConversation(conversation) })
  const query = { ...threadsQuery(conversation), staleTime: 0 }
  const answer = await readQuery(query).catch(() => undefined)
  const head = answer?.threads.find(one => one.actor === actor && one.branch === branch)?.head ?? 0
  const mayInspect = (await readQuery(serverQuery)).scopes.includes('inspect')
  const last = blockOf(Math.max(1, head))
  const read = (block: number) =>
    queryClient.prefetchQuery({ ...shownQuery(thread, block, { head, mayInspect }), staleTime: 0 })
  await Promise.all(last > 0 ? [read(last - 1), read(last)] : [read(last)])
}

/** One name for one thread, whether its address says the usual actor and branch or leaves them out. */
const threadName = ({ conversation, actor = usualActor, branch = usualBranch }: ThreadAddress) =>
  JSON.stringify([conversation, actor, branch])

/** Values by thread, which components can follow. They are kept until the tab is closed. */
function byThread<Value>() {
  const values = observable<ReadonlyMap<string, Value>>(new Map())
  return {
    use: (thread: ThreadAddress): Value | undefined => values.use().get(threadName(thread)),
    get: (thread: ThreadAddress): Value | undefined => values.get().get(threadName(thread)),
    set(thread: ThreadAddress, value: Value | undefined): void {
      const next = new Map(values.get())
      if (value === undefined) next.delete(threadName(thread))
      else next.set(threadName(thread), value)
      values.set(next)
    },
  }
}
