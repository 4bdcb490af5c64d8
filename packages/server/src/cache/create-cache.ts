import { AsyncLocalStorage } from 'node:async_hooks'
import { type FitRequest, nextContext, readThread, type TurnPart } from '@throughline/chat/turn'
import type { Context } from '@throughline/core/context'
import type { Fields } from '@throughline/core/fields'
import { type MessageLike, readMessage } from '@throughline/core/messages'
import { isObject, putNewest } from '@throughline/core/values'
import type { History, Thread } from '@throughline/history'
import type { Model, ModelRequest } from '@throughline/models/model'
import { isLocalAddress } from '@throughline/models/wire'
import { type NativeCall, openNative } from '../native/native-reply.ts'
import type { Upstream } from '../upstream/upstream.ts'
import {
  createReadAhead,
  type ReadAheadOptions,
  type ReadAheadResult,
} from './create-read-ahead.ts'
import { createSlots, type SlotMode, type Slots, type SlotUse } from './create-slots.ts'

export interface CacheOptions extends Pick<ReadAheadOptions, 'onRead' | 'quietMs' | 'openTurnMs'> {
  /** Whether prompts are read before they are asked for: nowhere, on this machine and network, or at every upstream. */
  readonly readAhead: 'off' | 'local' | 'on'
  readonly slots: SlotMode
  readonly now: () => number
}

export interface CachedCall extends Pick<NativeCall, 'upstream' | 'model'> {
  /** The request as it came, if the upstream speaks its form. */
  readonly native?: Pick<NativeCall, 'adapter' | 'request' | 'client'> | undefined
  readonly history: History
  readonly thread: Thread
  readonly isSide: boolean
}

export type Cache = ReturnType<typeof createCache>
export type OpenCache = ReturnType<Cache['open']>

/** Cares for what model servers keep of prompts. */
export function createCache({ readAhead, slots: mode, now, onRead, ...limits }: CacheOptions) {
  const slotsOf = new WeakMap<Upstream, Slots>()
  const latest = new Map<
    string,
    Pick<ReadAheadResult, 'outcome' | 'tokens'> & { readonly time: number }
  >()
  const ahead = createReadAhead({
    ...limits,
    onRead(reading) {
      const { conversation, outcome, tokens } = reading
      putNewest(latest, conversation, { outcome, tokens, time: now() }, mostLatest)
      onRead(reading)
    },
  })

  function slotsAt(upstream: Upstream): Slots {
    const isOwn = upstream.kind === 'openai' && isLocalAddress(upstream.address ?? '')
    const slots = slotsOf.get(upstream) ?? createSlots(isOwn ? upstream : {}, mode)
    slotsOf.set(upstream, slots)
    return slots
  }

  function isRead({ kind, address = '' }: Upstream): boolean {
    const isOurs = kind === 'ollama' || kind === 'openai'
    return isOurs && (readAhead === 'on' || (readAhead === 'local' && isLocalAddress(address)))
  }

  return {
    open(call: CachedCall) {
      const { upstream, thread, isSide } = call
      const slots = slotsAt(upstream)
      const name = nameOf(thread)
      const address = addressOf(upstream)
      let sent: readonly MessageLike[] = []
      let asking: FitRequest | undefined

      async function* inSlot(model: Model, request: ModelRequest, use: SlotUse) {
        const isChosen = request.settings?.provider?.id_slot !== undefined
        const slot = isChosen ? undefined : await slots.take(use === 'side' ? sideOwner : name, use)
        try {
          yield* model.stream(slot ? withFields(request, { id_slot: slot.id }) : request)
        } finally {
          slot?.release()
        }
      }

      async function read(signal: AbortSignal, isLost: boolean): Promise<number | undefined> {
        // A client that has opened a turn since brings the next messages itself: nothing is to be guessed.
        if (!asking || (await thread.status()).state !== 'idle') return undefined
        const isLlama = await slots.isLlama()
        const client = call.native && toReading(call.native, isLlama)
        // Another form may be another prompt to the model server.
        if (call.native && !client) return undefined
        const next = { role: 'user', content: fillerLike(sent) }
        const reader = readThread(call.history, thread)
        const log: FitRequest['log'] = {
          ...reader,
          context: options => reader.context({ ...options, next }),
        }
        const { context, tools, room } = await nextContext({ ...asking, log, signal })
        const tokens = unreadIn(context, isLost ? [] : sent)
        if (tokens < minUnread) return undefined
        const { messages, receipt } = context
        const native = client && openNative({ ...call, ...call.native!, client, write() {} })
        native?.see({ type: 'context', messages, receipt, ...room })
        const { maxTokens: _, ...settings } = asking.settings
        const request = {
          messages,
          tools,
          signal,
          settings: isLlama ? settings : { ...settings, maxTokens: 1 },
        }
        const limited = isLlama ? withFields(request, { n_predict: 0 }) : request
        for await (const { type } of inSlot(native?.model ?? call.model, limited, 'ahead'))
          if (type === 'end') break
        return tokens
      }

      return {
        /** The same model, asked where this conversation is in the cache. */
        steer: (model: Model): Model => ({
          ...model,
          async *stream(request) {
            const total = await slots.total()
            if (!isSide) ahead.serve(address, name, total)
            yield* inSlot(model, request, isSide ? 'side' : 'reply')
            if (isSide && total === 1) ahead.lose(address)
          },
        }),
        /** How the model is asked, and will be asked for the next reply. */
        asks(fitting: FitRequest): void {
          asking = fitting
        },
        see(part: TurnPart): void {
          if (part.type === 'context') {
            sent = part.messages
            // A refusal may have told it since.
            if (asking) asking = { ...asking, window: part.window }
          }
          if (part.type !== 'end' || isSide) return
          if (part.status === 'open') ahead.leaveOpen(address, name)
          if (part.status !== 'completed' || !isRead(upstream)) return
          // It runs after this request, with the key of its client.
          ahead.offer({ upstream: address, conversation: name, read: AsyncLocalStorage.bind(read) })
        },
      }
    },
    /** The same model, for conversations without reading ahead: these take the cache of other conversations. */
    beside: (upstream: Upstream, model: Model): Model => ({
      ...model,
      async *stream(request) {
        ahead.serve(addressOf(upstream), besideOwner, await slotsAt(upstream).total())
        yield* model.stream(request)
      },
    }),
    /** A reply is being written; `isOver`: none is any more. */
    busy: (isOver: boolean): void => (isOver ? ahead.start() : ahead.stop()),
    latest: (thread: Thread) => latest.get(nameOf(thread)),
    get isReading(): boolean {
      return ahead.isReading
    },
  }
}

const addressOf = ({ address, kind }: Upstream): string => address ?? kind

const mostLatest = 1000

/** All side requests share a slot: they are never continued. */
const sideOwner = 'side'

/** The conversations of the API and of experiments, which are not told apart here. */
const besideOwner = 'beside'

/** Branches of a conversation share their slot, as they share their beginning. */
const nameOf = ({ key: { tenant, conversation, actor } }: Thread): string =>
  JSON.stringify([tenant, conversation, actor])

/** Words that ask for nothing, as long as the newest message of the user: the next one most likely is about as long. */
function fillerLike(sent: readonly MessageLike[]): string {
  const newest = sent.findLast(({ role }) => role === 'user')
  const { text } = readMessage(newest ?? { role: 'user', content: '' }, 0)
  return filler.repeat(Math.min(mostFiller, Math.ceil(text.length / filler.length)) || 1).trimEnd()
}

const filler = 'and '
const mostFiller = 1000

/** Below 64 unread tokens reading ahead does not pay. */
const minUnread = 64

/** The tokens of a context that do not stand in the one that was sent last. What the model wrote to that one it knows. */
function unreadIn({ messages, receipt }: Context, sent: readonly MessageLike[]): number {
  const differs = sent.findIndex(
    (message, at) => JSON.stringify(message) !== JSON.stringify(messages[at]),
  )
  if (sent.length > 0 && differs < 0) return 0
  return receipt.sent.slice(Math.max(0, differs)).reduce((sum, { tokens }) => sum + tokens, 0)
}

const withFields = (request: ModelRequest, fields: Fields): ModelRequest => ({
  ...request,
  settings: { ...request.settings, provider: { ...request.settings?.provider, ...fields } },
})

/** A client's request that only has its prompt read, with a reply of 0 or 1 tokens. Undefined for forms without such a request. */
function toReading(
  { adapter: { form }, client }: Pick<NativeCall, 'adapter' | 'client'>,
  isLlama: boolean,
) {
  if (form !== 'chat' && form !== 'ollama') return undefined
  const { 'idempotency-key': _, 'x-stainless-retry-count': __, ...headers } = client.headers
  const { max_completion_tokens: newer, max_tokens: _____, ...fields } = client.fields
  const { store: ___, metadata: ____, ...rest } = fields
  const options = isObject(rest.options) ? rest.options : {}
  // Some models take the newer name only.
  const ofChat = newer === undefined ? { max_tokens: 1 } : { max_completion_tokens: 1 }
  const limit = form === 'ollama' ? { options: { ...options, num_predict: 1 } } : ofChat
  const reading = { ...rest, ...(isLlama ? { n_predict: 0 } : limit) }
  return { ...client, headers, fields: reading, bytes: Buffer.from(JSON.stringify(reading)) }
}
