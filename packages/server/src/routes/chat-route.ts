import { BadRequestError } from '@throughline/core/errors'
import { type Fields, isFields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { isObject } from '@throughline/core/values'
import { breathe, withRests } from '@throughline/history/log'
import {
  type Adapter,
  type ChatRequest,
  wishOf,
  withWholeRounds,
} from '@throughline/models/dialects'
import { isStoreFault } from '@throughline/stores/errors'
import type { ServerEnv } from '../auth/caller.ts'
import { bodyPerson } from '../auth/named-person.ts'
import { refuseExperiment, refuseInner } from '../auth/refusals.ts'
import { compact, compactsItself } from '../exchange/compact.ts'
import { logOfPerson } from '../exchange/inquiry.ts'
import { withPatience } from '../exchange/patient-store.ts'
import { faultResponse } from '../exchange/reply-writer.ts'
import { respond } from '../exchange/respond.ts'
import { wishWindow } from '../exchange/wish-window.ts'
import { BusyError } from '../guard/create-gate.ts'
import { addedMessages } from '../identity/added-messages.ts'
import { clientMessages } from '../identity/client-message.ts'
import { comparedOf } from '../identity/item.ts'
import { type HeadersOf, knownClient, sideRequest } from '../identity/known-client.ts'
import type { ClientCall } from '../native/native-reply.ts'
import { toFault } from '../to-fault.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { passBody, pathOf } from './pass-on.ts'
import { readBody } from './read-body.ts'
import type { ServerParts } from './server-parts.ts'

/** Answers a request on one of the adapters. `conversation`: the one in the path, `/c/<conversation>/…`. */
export async function answerChat(
  parts: ServerParts,
  adapter: Adapter,
  request: Request,
  { requestId, log: callerLog, caller }: ServerEnv['Variables'],
  conversation: string | undefined,
): Promise<Response> {
  const { upstreams, sideModel, person, onStoreFault, storeWaitMs, now, newId } = parts
  const { shadow = false } = parts.options
  const run = parts.runner.open({ requestId, adapter: adapter.name })
  /** Has the upstream answer without us, once it is known. */
  let pass: (() => Promise<Response>) | undefined
  try {
    const headers: HeadersOf = {
      ...Object.fromEntries(request.headers),
      ...(conversation !== undefined && { 'x-throughline-conversation': conversation }),
    }
    const sent = await readBody(request, parts.maxBodyBytes)
    // The body came from a socket: Node runs the next immediate before it looks at other sockets.
    if (sent.length > manyBytes) await breathe()
    const path = pathOf(request).replace(/^\/c\/[^/]*/, '')
    const speaks = async (upstream: Upstream | undefined, kinds?: readonly string[]) =>
      adapter.form !== undefined &&
      (await upstream?.speaks?.(adapter.form, run.signal, kinds)) === true
    const passTo = async ({ upstream }: { readonly upstream: Upstream }) => {
      if (shadow && (await speaks(upstream))) pass = () => passBody(upstream, request, path, sent)
    }
    // What cannot be read names no model.
    if (upstreams.all.length === 1) await passTo(upstreams.all[0]!)
    const whole = withAddress(await withRests(parts.parse(sent, caller.keyId)), adapter, request)
    const byModel = upstreams.find(modelIn(whole))
    if (byModel) await passTo(byModel)
    const readAs = async (body: Buffer, parsed: unknown) => {
      const { upstream: own, options } = upstreams.find(modelIn(parsed)) ?? {}
      // A body to which we add a tool is not the client's own.
      const { readMessages } = { ...parts.options, ...options }
      const kinds = isFields(parsed) ? adapter.rareKinds?.(parsed) : undefined
      const isSameForm = !readMessages && (await speaks(own, kinds))
      const readWhole = (one: unknown) => adapter.read(one, headers, isSameForm)
      if (sent.length > manyBytes) await readEntries(parsed, adapter, readWhole)
      const read = withWholeRounds(readWhole(parsed))
      // A compaction of ours says nothing to an upstream.
      const convert = () =>
        own?.refuseKinds?.(adapter.form!, kinds ?? [])
          ? withWholeRounds(adapter.read(parsed, headers))
          : undefined
      return { body, parsed, isNative: isSameForm && !read.named.past, read, convert }
    }
    const readWith = (model: string) => {
      const moved = { ...(whole as object), model }
      return readAs(Buffer.from(JSON.stringify(moved)), moved)
    }
    const first = await readAs(sent, whole)
    const isMoved = sideModel !== undefined && sideRequest(first.read, headers) !== undefined
    const { body, parsed, isNative, read, convert } = isMoved ? await readWith(sideModel) : first
    run.asks(read.model)
    const { upstream, options: upstreamOptions } = upstreams.of(read.model)
    if (read.hints.load !== undefined) {
      const loaded = isLoader(upstream)
        ? await passBody(upstream, request, '/api/chat', body)
        : Response.json(adapter.whole(emptyStart(read, now()), emptyEnd))
      run.tell({})
      return loaded
    }
    checkMessages(read, adapter, parts.maxMessages)
    if (sent.length > manyBytes) await breathe()
    await readItems(read.messages)
    const named = knownClient(read, headers)
    refuseInner(named)
    const admit = () => refuseExperiment(callerLog, named?.conversation, caller)
    const speaker = callerLog.history.person ?? bodyPerson(read)
    const log = logOfPerson(callerLog, speaker ?? person)
    // Lists that name no conversation are told apart by their people too.
    const keyId = named || speaker === undefined ? caller.keyId : `${caller.keyId}\n${speaker}`
    const { signal } = run
    const by = { log, headers, keyId, newId, now, signal, isFiled: shadow }
    const inquiry = { ...by, adapter: adapter.name, request: read }
    const wish = wishOf(read)
    const isTheirs = wish !== undefined && (shadow || compactsItself(upstream))
    if (wish === 'address' || (wish === 'item' && !isTheirs)) {
      await withPatience(storeWaitMs, admit)
      const compacted = await (isTheirs
        ? passBody(upstream, request, '/v1/responses/compact', body)
        : compact(inquiry, parsed))
      run.tell({})
      return compacted
    }
    run.enter(request.signal)
    if (!shadow) run.getsWindow(await wishWindow(upstream, read, parts.advertisedWindow, signal))
    return await respond({
      inquiry,
      adapter,
      run,
      requestId,
      cache: parts.cache,
      limits: parts,
      onStoreFault,
      storeWaitMs,
      admit,
      options: { ...parts.options, ...upstreamOptions },
      upstream,
      model: upstreams.model(read.model),
      ...(isNative && { client: toClientCall(request, body, parsed), convert }),
      pass,
    })
  } catch (error) {
    const fault = isStoreFault(error)
      ? { ...toFault(error), status: 503, isRetryable: true }
      : toFault(error)
    run.tell({ fault })
    run.over()
    if (pass && !(error instanceof BusyError) && !request.signal.aborted) return pass()
    return faultResponse(adapter, fault, requestId, { 'x-request-id': requestId })
  }
}

/** A body with what its address says of the request. */
export const withAddress = (body: unknown, { inAddress }: Adapter, { url }: Request): unknown =>
  inAddress && isObject(body) ? { ...body, ...inAddress(new URL(url)) } : body

/** Whether an upstream loads models on request. Others keep them as they like, and the client is told that all is well. */
const isLoader = ({ kind }: Upstream) => kind === 'ollama' || kind === 'reader'

/** The answer to a request that only loads a model. */
const emptyStart = (request: ChatRequest, time: number) => ({
  id: '',
  time,
  model: request.model,
  request,
  promptTokens: 0,
})
const emptyEnd = { reason: 'stop', text: '', thinking: '', calls: [], usage: {} } as const

/** The model that a body names, before the body is read. */
export function modelIn(body: unknown): string {
  const { model } = (body ?? {}) as { readonly model?: unknown }
  return typeof model === 'string' ? model : ''
}

const toClientCall = ({ headers, url }: Request, bytes: Buffer, parsed: unknown): ClientCall => ({
  bytes: bytes as Buffer<ArrayBuffer>,
  fields: parsed as Fields,
  headers: Object.fromEntries(headers),
  query: new URL(url).search,
})

/** A body of at least this many bytes is parsed and read in pieces of some milliseconds, with other requests in between. */
const manyBytes = 256 * 1024

/** Reads the list of a body piece by piece, where its adapter remembers what it has read. What it refuses is refused later. */
async function readEntries(
  body: unknown,
  { field }: Adapter,
  read: (body: unknown) => ChatRequest,
) {
  const { model, messages } = (body ?? {}) as Fields
  if (field !== undefined || !Array.isArray(messages)) return
  try {
    await eachRow(messages, row => void read({ model, messages: row }))
  } catch {
    // The whole names the place.
  }
}

/** Reads what is compared of each message, piece by piece. It is remembered, so that identity finds it. */
const readItems = (messages: readonly MessageLike[]) =>
  eachRow(messages, row => {
    const read = clientMessages(row)
    for (const message of read) comparedOf(message)
    addedMessages(read)
  })

async function eachRow<T>(list: readonly T[], read: (row: readonly T[]) => void): Promise<void> {
  for (let at = 0; at + itemsInRow < list.length; at += itemsInRow) {
    read(list.slice(at, at + itemsInRow))
    await breathe()
  }
}

const itemsInRow = 128

/** A request needs something to answer, and not more than may be read. */
export function checkMessages(
  { messages, named, hints }: ChatRequest,
  { field = 'messages' }: Adapter,
  most: number,
): void {
  if (messages.length > most)
    throw new BadRequestError(`A request may have ${most} messages: see "maxMessages".`, field)
  // A compaction may be asked for by the id of a response alone.
  const isNamed = named.references?.length || named.past || (named.previous && hints.compaction)
  if (messages.length === 0 && !isNamed)
    throw new BadRequestError(
      `"${field}" must hold at least one message that is no system message`,
      field,
    )
}
