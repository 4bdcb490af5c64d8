import {
  BadRequestError,
  InvalidOptionError,
  NotFoundError,
  type OptionNames,
  refuseUnknown,
  showValue,
  ThroughlineError,
} from '@throughline/core/errors'
import { readBody } from '@throughline/core/fields'
import { parseJson, present } from '@throughline/core/values'
import type { History } from '@throughline/history'
import { type ChatOptions, chatNames, checkOption, readOptions } from '../chat-options.ts'
import { createChat, type SendOptions } from '../create-chat.ts'
import { faultOf } from '../fault-of.ts'
import { createCancels } from '../turn/cancels.ts'
import { readUIRequest, type UIRequest } from './read-ui-request.ts'
import { errorText, type UIMessageStreamOptions } from './to-ui-message-stream.ts'
import type { UILoadedMessage } from './ui-chunk.ts'
import { createUIReplies } from './ui-replies.ts'

/** Options of `createUIChatHandler`: those of the chat, and who may read what. */
export interface UIChatHandlerOptions
  extends Omit<ChatOptions, 'history' | 'count'>,
    Omit<UIMessageStreamOptions, 'messageId'> {
  /** Where conversations are stored. Users are people of its tenant. */
  readonly history: History
  /** Whose request it is, by your login, never by the body: a person of the tenant, or `{ tenant, person }`. No name gives 401. */
  readonly user: (request: Request) => Maybe<UIChatUser> | Promise<Maybe<UIChatUser>>
  /** The path at which the handler is, as `api` of the transport names it. Default `/api/chat`. */
  readonly api?: string
  /** Options for one request: they replace those of the same name here. */
  readonly perRequest?: (request: UIChatRequest) => UIChatChanges | Promise<UIChatChanges>
  /** How long a reply goes on whose client has left: a page that was loaded again comes back for it. Default 30 s. */
  readonly lingerMs?: number
  /** The largest body in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
  /** The ids of messages and branches. Default `crypto.randomUUID`. */
  readonly newId?: () => string
}

/** A person of the history's tenant, or of another one. */
export type UIChatUser = string | { readonly tenant: string; readonly person: string }

const { count: _, ...sharedNames } = chatNames
const handlerNames: OptionNames<UIChatHandlerOptions> = {
  ...sharedNames,
  user: 1,
  api: 1,
  perRequest: 1,
  lingerMs: 1,
  maxBodyBytes: 1,
  newId: 1,
  messageMetadata: 1,
  sendReasoning: 1,
  onError: 1,
}

type Maybe<T> = T | null | undefined

/** A message that is to be answered. */
export interface UIChatRequest {
  /** Its body was read already. */
  readonly request: Request
  /** The name of the person. */
  readonly user: string
  /** The name of the conversation: the `id` of the chat in the page. */
  readonly conversation: string
  /** All that the page sent, its own fields too: `body` of the transport. */
  readonly body: Readonly<Record<string, unknown>>
}

/** What may differ between requests: each option replaces the handler's own. */
export type UIChatChanges = Partial<Omit<ChatOptions, 'history' | 'count'>> &
  Pick<SendOptions, 'projectId' | 'data'> &
  Pick<UIMessageStreamOptions, 'messageMetadata'>

/** The backend of `useChat` in an application's own server. */
export interface UIChatHandler {
  /** Answers the requests of `useChat`: give it to your framework for POST, GET and DELETE, below the path `api` too. */
  (request: Request): Promise<Response>
  /** The messages of a conversation, as `useChat` begins with them; none if it does not exist. */
  messages(of: {
    readonly user: UIChatUser
    readonly conversation: string
  }): Promise<readonly UILoadedMessage[]>
  /** Resolves when no reply is being made, so that the store may be closed. */
  idle(): Promise<void>
}

/**
 * Makes the backend of `useChat`: answers messages, answers them again, takes edited ones, goes on with a running reply after
 * a reload, cancels. The log has the conversation: of what a client sends only the newest message is taken.
 *
 * @example
 * const chat = createUIChatHandler({ history, model, user: request => sessionOf(request)?.userId })
 * export { chat as DELETE, chat as GET, chat as POST } // in app/api/chat/[[...path]]/route.ts of Next.js
 */
export function createUIChatHandler(options: UIChatHandlerOptions): UIChatHandler {
  refuseUnknown(options, handlerNames)
  const {
    history,
    user,
    api = '/api/chat',
    perRequest,
    lingerMs,
    maxBodyBytes,
    ...rest
  } = options ?? {}
  const {
    messageMetadata,
    sendReasoning,
    onError,
    newId = () => crypto.randomUUID(),
    ...chat
  } = rest
  checkOption(
    'history',
    typeof history?.of === 'function',
    'what createHistory({ store }) gives',
    history,
  )
  if (typeof user !== 'function')
    throw new InvalidOptionError(
      'user',
      `expected a function that says whose request it is, got ${showValue(user)}; for one user: () => 'me'`,
    )
  const isPath = typeof api === 'string' && api.startsWith('/')
  checkOption('api', isPath, 'a path such as "/api/chat"', api)
  // Wrong options are found now, not with the first request.
  readOptions({ ...chat, history })
  const replies = createUIReplies({
    cancels: createCancels(history.store),
    newId,
    lingerMs,
    hidesThoughts: sendReasoning === false,
  })

  async function handle(request: Request): Promise<Response> {
    const { conversation, isStream } = placeOf(request, api)
    const name = await user(request)
    // An empty name is a variable that was never set: all users would share it.
    if (name === undefined || name === null || name === '')
      throw new ThroughlineError('no_user', 'Nobody is logged in: this request has no user.')
    const userHistory = historyOf(history, name)
    const { method } = request
    if (conversation === undefined && method === 'POST') return answer(request, userHistory)
    if (conversation !== undefined && isStream && method === 'GET')
      return replies.resume(userHistory, conversation)
    if (conversation !== undefined && isStream && method === 'DELETE')
      return (await isOthers(userHistory, conversation))
        ? new Response(null, { status: 204 })
        : replies.cancel(userHistory, conversation)
    if (conversation === undefined || isStream || method !== 'GET') throw noRoute(api)
    const branch = new URL(request.url).searchParams.get('branch') ?? undefined
    const shown = await show(userHistory, conversation, branch)
    if (!shown) throw noConversation()
    return Response.json(shown)
  }

  const show = async (theirs: History, conversation: string, branch?: string) =>
    (await isOthers(theirs, conversation))
      ? undefined
      : replies.messages(theirs, conversation, branch)

  async function answer(request: Request, theirs: History): Promise<Response> {
    const body = readBody(await readJsonBody(request, maxBodyBytes ?? 32 * 1024 ** 2))
    const uiRequest = readUIRequest(body)
    if (uiRequest.isResults)
      throw new BadRequestError(
        'The tools of this chat run on the server: send a user message last.',
        'messages',
      )
    await checkIsHere(theirs, uiRequest)
    const { conversation, messages } = uiRequest
    const changes =
      (await perRequest?.({ request, user: theirs.person!, conversation, body })) ?? {}
    const { projectId, data, messageMetadata: metadata = messageMetadata, ...changed } = changes
    const answering = createChat({ ...chat, ...present(changed), history: theirs })
    return replies.answer({
      history: theirs,
      uiRequest,
      signal: request.signal,
      stream: { messageMetadata: metadata, sendReasoning, onError },
      async start({ thread: { branch }, marks, signal }) {
        const place = { conversation, branch, marks, signal }
        return { parts: answering.send(messages[0]!, { ...place, projectId, data }) }
      },
    })
  }

  return Object.assign(
    (request: Request) => handle(request).catch(error => toResponse(error, onError)),
    {
      messages: async ({ user, conversation }: Parameters<UIChatHandler['messages']>[0]) =>
        (await show(historyOf(history, user), conversation))?.messages ?? [],
      idle: replies.idle,
    },
  )
}

/** `useChat` shows the body as the error's message. */
function toResponse(error: unknown, onError: (error: unknown) => string = errorText): Response {
  // Errors of the application's own functions are for its framework.
  if (!(error instanceof ThroughlineError)) throw error
  const { status, code, retryAfterMs } = faultOf(error)
  return new Response(onError(error), {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-throughline-code': code,
      ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    },
  })
}

/** What is below the path of the handler: nothing, a conversation, or a conversation's stream. */
function placeOf({ url }: Request, api: string) {
  const base = api.replace(/\/$/, '')
  const { pathname } = new URL(url)
  const below =
    pathname.startsWith(base) && /^(?:\/([^/]*)(\/stream)?)?$/.exec(pathname.slice(base.length))
  if (!below) throw noRoute(api)
  const [, name = '', stream] = below
  const isStream = stream !== undefined
  if (name === '') return { isStream }
  try {
    return { conversation: decodeURIComponent(name), isStream }
  } catch {
    throw noRoute(api)
  }
}

function historyOf(history: History, user: UIChatUser): History {
  const { tenant, person } =
    typeof user === 'string' ? { tenant: history.tenant, person: user } : user
  const areNames = [tenant, person].every(name => typeof name === 'string' && name !== '')
  checkOption('user', areNames, 'the name of a user as a text, or { tenant, person }', user)
  return history.of(tenant, { person })
}

/** Whether a conversation has another owner, or none: this user cannot see it. */
async function isOthers(
  { store, tenant, person }: History,
  conversation: string,
): Promise<boolean> {
  const [info] = await store.conversations(tenant, { only: conversation })
  return info !== undefined && info.person !== person
}

/** A client that has an answer from here talks about a conversation that must be there: it was deleted, or it is another user's. */
async function checkIsHere(history: History, { conversation, before }: UIRequest): Promise<void> {
  if (await isOthers(history, conversation)) throw noConversation()
  if (before?.branch === undefined) return
  if (!(await history.store.head(history.thread(conversation).key))) throw noConversation()
}

const noConversation = () =>
  new NotFoundError('no_conversation', 'There is no such conversation.', 'id')

const noRoute = (api: string) =>
  new ThroughlineError(
    'no_route',
    `Nothing is at this address. The chat is at "${api}" (option "api"): POST to it, GET "${api}/<id>", GET and DELETE "${api}/<id>/stream".`,
  )

/** The JSON of a body, else undefined. Its type is required: another site's page can send other types with a user's cookie. */
async function readJsonBody(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new ThroughlineError(
      'unsupported_type',
      'The body must be sent as "content-type: application/json".',
    )
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let bytes = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge(most)
    pieces.push(decoder.decode(chunk, { stream: true }))
  }
  pieces.push(decoder.decode())
  return parseJson(pieces.join(''))
}

const tooLarge = (most: number) =>
  new ThroughlineError('too_large', `The body has more than ${most} bytes: see "maxBodyBytes".`)
