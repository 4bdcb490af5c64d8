import type { ModelReply } from '@throughline/chat/turn'
import { attempt } from '@throughline/core/values'
import type { Adapter, AdapterFault, ChatRequest, ReplyStart } from '@throughline/models/dialects'
import { replyOfResponse } from '@throughline/models/ids'
import { type Model, ModelError } from '@throughline/models/model'
import { sleep } from '@throughline/models/waiting'
import { ConflictError, isStoreFault, LeaseError } from '@throughline/stores/errors'
import type { Cache } from '../cache/create-cache.ts'
import { type ClientCall, openNative } from '../native/native-reply.ts'
import { toFault } from '../to-fault.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { type AnswerOptions, type AnswerParts, answer } from './answer.ts'
import { checkPlace } from './check-room.ts'
import { findPlace } from './find-place.ts'
import { besideErased, forgetSide } from './forget-side.ts'
import type { Again, Inquiry, LogPlace } from './inquiry.ts'
import { replyMark, storedReply, toKept } from './kept-reply.ts'
import { withPatience } from './patient-store.ts'
import { endOf, type ReplyState, reduce } from './reply-state.ts'
import type { ReplyWriter, StreamLimits } from './reply-writer.ts'
import {
  contextHeaders,
  leftOutHeader,
  placeHeaders,
  streamWriter,
  wholeWriter,
  writeFailure,
} from './reply-writer.ts'
import { placeOfKey, untilAlone } from './retry.ts'
import type { ReplyRun } from './runner.ts'
import { saveTitle } from './save-title.ts'
import { type OpenedTurn, SameRequestError, takePlace } from './take-place.ts'
import {
  besideTheStore,
  holdsItsList,
  leaveLater,
  type OnStoreFault,
  unstoredHeader,
} from './unstored.ts'

export interface ReplyTask {
  readonly inquiry: Inquiry
  readonly adapter: Adapter
  readonly run: ReplyRun
  readonly requestId: string
  readonly upstream: Upstream
  readonly model: Model
  /** The request as it came, if the upstream speaks its form. */
  readonly client?: ClientCall | undefined
  /**
   * Reads a request that the upstream has refused for another form. Undefined if it holds nothing because of which it may have been
   * refused; throws if it cannot be said otherwise.
   */
  readonly convert?: (() => ChatRequest | undefined) | undefined
  readonly options: AnswerOptions
  readonly cache: Pick<Cache, 'open'>
  readonly limits: StreamLimits
  /** Throws if its client may not write to the conversation that it names. */
  readonly admit: () => Promise<void>
  readonly onStoreFault: OnStoreFault
  /** How long the store may take for a step, before the request is answered without it or refused. */
  readonly storeWaitMs: number
  /** Has the upstream answer the request without us. Present where every byte is passed. */
  readonly pass?: (() => Promise<Response>) | undefined
}

/** Answers a request of a client on its adapter. The answer begins when the model does: before that, a failure has its status. */
export async function respond(task: ReplyTask): Promise<Response> {
  const { inquiry, adapter, run, requestId, limits } = task
  run.holds(await untilAlone(inquiry))
  const waits = holdsItsList(inquiry) ? 1 : needyWaits
  const admission = withPatience(task.storeWaitMs, () => admitted(task), waits)
  const entered = await admission.catch(error => {
    if (!mayBeUnstored(task, error)) throw error
    return enterBeside(task, error)
  })
  const { thread } = entered.place
  // The writers read them when the response begins.
  const headers: Record<string, string> = {
    ...(entered.unstored ? unstoredHeaders(requestId) : placeHeaders(requestId, thread)),
    ...leftOutHeader(inquiry.request),
  }
  const writer = inquiry.request.stream
    ? streamWriter(adapter, requestId, run, limits, headers)
    : wholeWriter(adapter, requestId, headers)
  run.answersIn(thread)
  // The work goes on behind the response, and is closed however it ends.
  void serve({ ...task, headers, writer }, entered).finally(run.over)
  return writer.response
}

/**
 * How many times as long a request waits that cannot be answered without the store, while that writes for others. Refused at once it
 * would be sent again, which a store that is only busy can bear least.
 */
const needyWaits = 10

async function admitted(task: ReplyTask): Promise<Entered> {
  await task.admit()
  return enter(task)
}

/** How often other requests may take the place between finding and taking it. */
const mostTries = 5

/** Finds the place of a request and takes it. Another request that takes it first may make it a place for a branch. */
async function enter({ inquiry, options, model }: ReplyTask): Promise<Entered> {
  let isGone = false
  for (let tries = 1; ; tries++) {
    const placement = await findPlace(inquiry)
    if (placement.kind === 'again') return { inquiry, place: placement }
    const apart = await besideErased(inquiry, placement)
    const place: LogPlace = isGone ? apart : placeOfKey(inquiry, apart)
    if (!options.shadow) await checkPlace(inquiry, place, { options, model })
    try {
      return { inquiry, place, opened: await takePlace(inquiry, place) }
    } catch (error) {
      // The conversation that a request with this key began was deleted since, or its branch has gone on.
      const isDeleted = (error as { code?: unknown }).code === 'conversation_deleted'
      const hasGoneOn = place.fork && error instanceof ConflictError && tries === mostTries - 1
      isGone ||= place !== placement && (isDeleted || hasGoneOn === true)
      const isTaken =
        error instanceof LeaseError ||
        error instanceof ConflictError ||
        error instanceof SameRequestError
      if (!(isTaken || isGone) || tries >= mostTries) throw error
      // By then the request that took the place has begun.
      await sleep(pauseMs * tries, inquiry.signal)
    }
  }
}

const pauseMs = 5

const unstoredHeaders = (requestId: string) => ({ 'x-request-id': requestId, ...unstoredHeader })

/** A request in its place. */
type Entered = { readonly inquiry: Inquiry; readonly unstored?: AdapterFault } & (
  | { readonly place: LogPlace; readonly opened: OpenedTurn }
  | { readonly place: Again; readonly opened?: undefined }
)

/** Whether a request is answered although the store has failed. In shadow every byte is passed instead. */
const mayBeUnstored = ({ inquiry, onStoreFault, pass }: ReplyTask, error: unknown) =>
  onStoreFault === 'pass' && !pass && isStoreFault(error) && holdsItsList(inquiry)

/** Enters a request beside the store, in a log that is thrown away. */
async function enterBeside(task: ReplyTask, error: unknown): Promise<Entered> {
  const entered = await enter({ ...task, inquiry: besideTheStore(task.inquiry) })
  return { ...entered, unstored: toFault(error) }
}

interface ServedReply extends ReplyTask {
  readonly headers: Record<string, string>
  readonly writer: ReplyWriter
}

async function serve(reply: ServedReply, entered: Entered): Promise<void> {
  const { run, writer } = reply
  const { inquiry, place, opened } = entered
  const { request, newId, now } = inquiry
  const start = { id: newId(), time: now(), model: request.model, request, promptTokens: 0 }
  try {
    if (opened) {
      const next = await serveTurn(reply, start, entered)
      return next && (await serve(next, await next.enter()))
    }
    const { start: stored, end } = await storedReply(inquiry, place)
    run.tell({ place })
    const { promptTokens = 0 } = end.usage
    await writer.end(stored ? { ...stored, request } : { ...start, promptTokens }, end)
  } catch (error) {
    const fault = toFault(error)
    run.tell({ place, fault })
    await writer.fail(fault)
  } finally {
    if (opened) await forgetSide(inquiry, place)
  }
}

/** A reply that is tried in another way, as nothing of it has reached its client. */
interface NextTry extends ServedReply {
  enter(): Promise<Entered>
}

function tryBeside(task: ServedReply, error: unknown): NextTry {
  const { headers, requestId, inquiry } = task
  for (const name of Object.keys(headers)) delete headers[name]
  Object.assign(headers, unstoredHeaders(requestId), leftOutHeader(inquiry.request))
  return { ...task, enter: () => enterBeside(task, error) }
}

/** Tries a request in the upstream's own form, where that has refused it in the client's and knows less of that than its client. */
function tryConverted(
  task: ServedReply,
  { inquiry, unstored }: Entered,
  error: unknown,
): NextTry | undefined {
  const { convert = () => undefined, headers } = task
  const isRefused =
    error instanceof ModelError && error.code === 'model_refused' && refusals.has(error.status)
  const request = isRefused ? attempt(convert, undefined) : undefined
  if (!request) return undefined
  Object.assign(headers, leftOutHeader(request))
  const next = { ...task, client: undefined, convert: undefined, inquiry: { ...inquiry, request } }
  return { ...next, enter: async () => ({ ...(await enter(next)), unstored }) }
}

const refusals: ReadonlySet<number | undefined> = new Set([400, 422])

/**
 * Has a turn answered. The state of the reply is made of its parts; the upstream's own words and the writer follow both. Gives
 * another try, if one is left: without the store, or in another form.
 */
async function serveTurn(
  task: ServedReply,
  start: ReplyStart,
  entered: Extract<Entered, { opened: OpenedTurn }>,
): Promise<NextTry | undefined> {
  const { inquiry, place, opened, unstored } = entered
  const { adapter, run, upstream, model, client, headers, options, cache, writer, pass } = task
  const { request } = inquiry
  const passed = options.shadow ? passedOf(inquiry, place, client) : undefined
  let state: ReplyState = { start, trimmed: 0, reusable: 0, logprobsSize: 0 }
  const native =
    client &&
    openNative({
      ...{ upstream, model, adapter, request, client, isPassed: passed !== undefined },
      write: (text, relayed) => writer.passed(state.start, text, relayed),
    })
  const cached = cache.open({
    ...{
      upstream,
      model,
      history: inquiry.log.history,
      thread: opened.thread,
      isSide: place.isSide,
    },
    native: client && { adapter, request, client },
  })
  const work: AnswerParts = {
    ...{ model: native?.model ?? model, cached, passed },
    options: client && !request.stream ? withLongSilence(options) : options,
    emit(part) {
      native?.see(part)
      state = reduce(state, part)
      if (part.type === 'context') {
        const from = part.window === options.window ? undefined : model.windowFrom?.()
        Object.assign(headers, contextHeaders(part, from))
      }
      if (state.trimmed > 0) headers['x-throughline-trimmed'] = String(state.trimmed)
      if (native?.isPassed()) return
      if (part.type === 'text-delta') return writer.text(state.start, part.text, part.logprobs)
      if (part.type === 'thinking-delta') return writer.thinking(state.start, part.text)
    },
    onAsking(asking) {
      if (asking.notes || asking.hasNoteTool) native?.hide()
    },
    ...(request.named.isStored && {
      dataOf(reply) {
        // The client knows the reply by the name that the upstream gave it.
        const { id } = reply.details ?? {}
        if (native?.isPassed() && typeof id === 'string')
          state = { ...state, start: { ...state.start, id: replyOfResponse(id) } }
        return {
          response: toKept(state.start, endOf(state, reply), place.isDelta ? opened.first : 1),
        }
      },
      marksOf: () => [replyMark(state.start.id)],
    }),
  }
  // A reply that the log must have waits for the store as long as the store does.
  const isFree = task.onStoreFault === 'pass' && holdsItsList(inquiry)
  const answering = () => answer(inquiry, opened, work)
  const answered = await (isFree ? withPatience(endWaitMs, answering) : answering())
  const { result, isAsked } = answered
  const mayPass = mayBeUnstored(task, result.error)
  if (mayPass && !isAsked && !inquiry.signal.aborted) return tryBeside(task, result.error)
  const next = passed ? undefined : tryConverted(task, entered, result.error)
  if (next) return next
  const reply = answered.reply ?? (mayPass ? answered.unstored : undefined)
  const fault = unstored ?? (reply && !answered.reply ? toFault(result.error) : undefined)
  const { trimmed, reusable } = state
  run.tell({ place, answered, trimmed, reusable, unstored: fault })
  if (mayPass) {
    Object.assign(headers, unstoredHeader)
    void leaveLater(opened.turn)
  }
  const ending = native?.ending()
  // What was passed has ended well, whatever became of our log.
  if (!reply && (passed || mayPass) && ending)
    await writer.passedEnd(state.start, ending.text, ending.headers)
  else if (!reply && pass && !isAsked && !inquiry.signal.aborted) writer.instead(await pass())
  else if (!reply) await writeFailure(writer, start, result.error ?? inquiry.signal.reason, native)
  else await writeReply(reply)
  return undefined

  async function writeReply(reply: ModelReply) {
    if (!fault) await saveTitle(inquiry, place, reply.text)
    if (ending) await writer.passedEnd(state.start, ending.text, ending.headers)
    else await writer.end(state.start, endOf(state, reply))
  }
}

/** How long the store may take for each step of a reply that its client gets anyhow. */
const endWaitMs = 1000

/**
 * What the model is sent where nothing is fitted. Undefined where the client only names what was said before, and its upstream
 * speaks another form and so cannot know it.
 */
function passedOf({ request }: Inquiry, { messages }: LogPlace, client: ClientCall | undefined) {
  const { system, named } = request
  const isOnlyNamed = named.previous ?? named.conversation ?? named.past
  if (!client && isOnlyNamed !== undefined) return undefined
  const prompt = system === undefined ? [] : [{ role: 'system', content: system }]
  return [...prompt, ...(client ? request.messages : messages.map(({ source }) => source))]
}

/** An upstream that is not asked for a stream is silent until all of the reply is written. */
const withLongSilence = (options: AnswerOptions): AnswerOptions =>
  options.stallMs === undefined ? options : { ...options, stallMs: options.stallMs * 2 }
