import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '../../context/context.ts'
import type { History, Thread } from '../../history/index.ts'
import type { Fields } from '../../log/fields.ts'
import type { MessageLike } from '../../log/message.ts'
import { isObject } from '../../log/parse-json.ts'
import type { Model, ModelRequest } from '../../models/model.ts'
import { isLocalAddress } from '../../models/wire/is-local-address.ts'
import { nextContext, readThread, type ToFit, type TurnPart } from '../../turn/index.ts'
import type { Face } from '../faces/index.ts'
import { type ClientCall, openNative, type ToPassOn } from '../native/native-reply.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { createReadAhead, type Reading } from './create-read-ahead.ts'
import { createSlots, type SlotMode, type Slots } from './create-slots.ts'

export interface CacheOptions {
  /** Whether prompts are read before they are asked for: nowhere, on this machine and network, or at every upstream. */
  readonly readAhead: 'off' | 'local' | 'on'
  readonly slots: SlotMode
  /** How long nobody must have been answered before anything is read. Default 200 ms. */
  readonly quietMs?: number | undefined
  readonly now: () => number
  readonly onRead: (reading: Reading) => void
}

/** A request whose model has a cache to be cared for. */
export interface CachedCall extends Omit<ToPassOn, 'client' | 'write'> {
  /** The request as it came, if the upstream speaks its form. */
  readonly client?: ClientCall | undefined
  readonly history: History
  readonly thread: Thread
  readonly isSide: boolean
}

/** How a conversation was last read ahead. */
export interface LatestReading extends Pick<Reading, 'outcome' | 'tokens'> {
  readonly time: number
}

/** Cares for what model servers keep of prompts. */
export interface Cache {
  open(call: CachedCall): OpenCache
  /** A reply is being written; `isOver`: none is any more. */
  busy(isOver: boolean): void
  latest(thread: Thread): LatestReading | undefined
  readonly isReading: boolean
}

export interface OpenCache {
  /** The same model, asked where this conversation is in the cache. */
  steer(model: Model): Model
  see(part: TurnPart): void
  /** The conversation was answered with this: the head of its next prompt is known. */
  answered(asking: ToFit): void
}

export function createCache({ readAhead, slots: mode, quietMs, now, onRead }: CacheOptions): Cache {
  const slotsOf = new WeakMap<Upstream, Slots>()
  const latest = new Map<string, LatestReading>()
  const ahead = createReadAhead(reading => {
    const { conversation, outcome, tokens } = reading
    latest.delete(conversation)
    latest.set(conversation, { outcome, tokens, time: now() })
    if (latest.size > mostLatest) latest.delete(latest.keys().next().value!)
    onRead(reading)
  }, quietMs)

  function slotsAt(upstream: Upstream): Slots {
    const isOwn = upstream.kind === 'openai' && isLocalAddress(upstream.address ?? '')
    const found = slotsOf.get(upstream) ?? createSlots(isOwn ? upstream : {}, mode)
    slotsOf.set(upstream, found)
    return found
  }

  function isRead({ kind, address = '' }: Upstream): boolean {
    const isOurs = kind === 'ollama' || kind === 'openai'
    return isOurs && (readAhead === 'on' || (readAhead === 'local' && isLocalAddress(address)))
  }

  return {
    open(call) {
      const { upstream, thread, isSide } = call
      const slots = slotsAt(upstream)
      const name = nameOf(thread)
      const address = upstream.address ?? upstream.kind
      let sent: readonly MessageLike[] = []
      let isSteered = false

      async function* inSlot(model: Model, request: ModelRequest) {
        const isChosen = request.settings?.provider?.id_slot !== undefined
        const slot = isChosen ? undefined : await slots.take(isSide ? sideOwner : name, isSide)
        isSteered = slot !== undefined
        try {
          yield* model.stream(slot ? withFields(request, { id_slot: slot.id }) : request)
        } finally {
          slot?.release()
        }
      }

      async function read(asking: ToFit, signal: AbortSignal, isLost: boolean): Promise<number | undefined> {
        const isLlama = await slots.isLlama()
        // A short message cuts where most cut: the room for it is that of the messages before it.
        const next = { role: 'user', content: 'and' }
        const own = readThread(call.history, thread)
        const log: ToFit['log'] = { ...own, context: options => own.context({ ...options, next }) }
        const {
          context,
          tools,
          hasFiles: _,
          known: __,
          ...room
        } = await nextContext({
          ...{ ...asking, log, signal },
        })
        const tokens = unreadIn(context, isLost ? [] : sent)
        if (tokens < fewest) return undefined
        const { messages, receipt } = context
        const client = call.client && readOnly(call.client, call.face, isLlama)
        const native = client && openNative({ ...call, client, write() {} })
        native?.see({ type: 'context', messages, receipt, ...room })
        const { maxTokens: ___, ...settings } = asking.settings
        const request = {
          messages,
          tools,
          signal,
          settings: isLlama ? settings : { ...settings, maxTokens: 1 },
        }
        const asked = isLlama ? withFields(request, { n_predict: 0 }) : request
        for await (const { type } of inSlot(native?.model ?? call.model, asked)) if (type === 'end') break
        return tokens
      }

      return {
        steer: model => ({
          ...model,
          async *stream(request) {
            yield* inSlot(model, request)
            if (!isSteered) ahead.lose(address)
          },
        }),
        see(part) {
          if (part.type === 'context') sent = part.messages
        },
        answered(asking) {
          if (isSide || !isRead(upstream)) return
          // It runs after this request, with the key of its client.
          const own = AsyncLocalStorage.bind(read)
          ahead.offer({
            ...{ key: isSteered ? name : address, upstream: address, conversation: name },
            read: (signal, isLost) => own(asking, signal, isLost),
          })
        },
      }
    },
    busy: isOver => (isOver ? ahead.start() : ahead.stop()),
    latest: thread => latest.get(nameOf(thread)),
    get isReading() {
      return ahead.isReading
    },
  }
}

const mostLatest = 1000

/** All side requests share a slot: nobody goes on from them. */
const sideOwner = 'side'

/** Branches of a conversation share their slot, as they share their beginning. */
const nameOf = ({ key: { tenant, conversation, actor } }: Thread): string =>
  JSON.stringify([tenant, conversation, actor])

/** Less is read in no time. */
const fewest = 64

/** The tokens of a context that do not stand in the one that was sent last. What the model wrote to that one it knows. */
function unreadIn({ messages, receipt }: Context, sent: readonly MessageLike[]): number {
  const differs = sent.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(messages[at]))
  if (sent.length > 0 && differs < 0) return 0
  return receipt.sent.slice(Math.max(0, differs)).reduce((sum, { tokens }) => sum + tokens, 0)
}

const withFields = (request: ModelRequest, fields: Fields): ModelRequest => ({
  ...request,
  settings: { ...request.settings, provider: { ...request.settings?.provider, ...fields } },
})

/** A client's request that reads its prompt and writes nothing, or one token: to Ollama 0 would say that there is no limit. */
function readOnly(
  { fields, ...client }: ClientCall,
  { form }: Face,
  isLlama: boolean,
): ClientCall | undefined {
  if (form !== 'chat' && form !== 'ollama') return undefined
  const { max_tokens: _, max_completion_tokens: __, ...rest } = fields
  const options = isObject(fields.options) ? fields.options : {}
  const limit = form === 'ollama' ? { options: { ...options, num_predict: 1 } } : { max_tokens: 1 }
  return { ...client, fields: { ...rest, ...(isLlama ? { n_predict: 0 } : limit) } }
}
