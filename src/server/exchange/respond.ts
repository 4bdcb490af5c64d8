import { listLog } from '../../history/log/read-log.ts'
import { present } from '../../log/present.ts'
import { type Model, ModelError } from '../../models/model.ts'
import { sleep } from '../../models/sleep.ts'
import { ConflictError, LeaseError } from '../../stores/store-error.ts'
import { toModelTokens } from '../../tokens/calibration.ts'
import { type ModelReply, type TurnPart, trimmedTokens } from '../../turn/index.ts'
import type { Cache } from '../cache/create-cache.ts'
import type { Face, ReplyEnd, ReplyStart } from '../faces/index.ts'
import { replyOfResponse } from '../faces/responses/item-id.ts'
import { isGiven } from '../identity/item.ts'
import { type ClientCall, type NativeReply, openNative } from '../native/native-reply.ts'
import { toFault } from '../to-fault.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { type AnswerOptions, answer } from './answer.ts'
import { type Asked, sourceOf } from './asked.ts'
import { checkPlace } from './check-room.ts'
import { findPlace } from './find-place.ts'
import { replyMark } from './find-reply.ts'
import { fromKept, keptIn, toKept } from './kept-response.ts'
import type { Again, Place } from './place.ts'
import { placeHeaders, type ReplyWriter, streamWriter, wholeWriter } from './reply-writer.ts'
import type { Run } from './runner.ts'
import { placeOfKey, untilAlone } from './same-key.ts'
import { saveTitle } from './save-title.ts'
import { type OpenedTurn, SameRequestError, takePlace } from './take-place.ts'

export interface ToServe {
  readonly asked: Asked
  readonly face: Face
  readonly run: Run
  readonly requestId: string
  readonly upstream: Upstream
  readonly model: Model
  /** The request as it came, if the upstream speaks its form. */
  readonly client?: ClientCall | undefined
  readonly options: AnswerOptions
  readonly cache: Pick<Cache, 'open'>
  readonly now: () => number
  /** How long a client may leave a stream unread before it counts as gone. */
  readonly unreadMs: number
  /** After how much silence a stream sends a sign of life. */
  readonly keepAliveMs: number
}

/** Answers a request of a client on its face. The answer begins when the model does: before that, a failure has its status. */
export async function respond(given: ToServe): Promise<Response> {
  const { asked, face, run, requestId, model, unreadMs, keepAliveMs } = given
  run.holds(await untilAlone(asked))
  const entered = await enter(asked, place => checkPlace(asked, place, { options: given.options, model }))
  const { thread } = entered.place
  // The writers read them when the response begins.
  const headers: Record<string, string> = { ...placeHeaders(requestId, thread) }
  const reading = { signal: run.signal, unreadMs, keepAliveMs, giveUp: run.abort }
  const writer = asked.request.stream
    ? streamWriter(face, requestId, reading, headers)
    : wholeWriter(face, requestId, headers)
  run.answersIn(thread)
  // The work goes on behind the response, and is closed however it ends.
  void serve({ ...given, headers }, entered, writer).finally(run.over)
  return writer.response
}

type Entered =
  | { readonly place: Place; readonly opened: OpenedTurn }
  | { readonly place: Again; readonly opened?: undefined }

/** How often others may get ahead between finding a place and taking it. */
const mostTries = 5

/** Finds the place of a request and takes it. Another request that takes it first may make it a place for a branch. */
async function enter(asked: Asked, check: (place: Place) => Promise<void>): Promise<Entered> {
  let isGone = false
  for (let tries = 1; ; tries++) {
    const found = await findPlace(asked)
    if (found.kind === 'again') return { place: found }
    const place: Place = isGone ? found : placeOfKey(asked, found)
    await check(place)
    try {
      return { place, opened: await takePlace(asked, place) }
    } catch (error) {
      // The conversation that a request with this key began was deleted since, or its branch has gone on.
      const isDeleted = (error as { code?: unknown }).code === 'conversation_deleted'
      const hasGoneOn = place.fork && error instanceof ConflictError && tries === mostTries - 1
      isGone ||= place !== found && (isDeleted || hasGoneOn === true)
      const isTaken =
        error instanceof LeaseError || error instanceof ConflictError || error instanceof SameRequestError
      if (!(isTaken || isGone) || tries >= mostTries) throw error
      // The one that was faster has begun by then.
      await sleep(pauseMs * tries, asked.signal)
    }
  }
}

const pauseMs = 5

interface ToAnswer extends ToServe {
  readonly headers: Record<string, string>
}

async function serve(given: ToAnswer, { place, opened }: Entered, writer: ReplyWriter): Promise<void> {
  const { asked, face, run, upstream, model, client, headers, options, now } = given
  const { request, newId } = asked
  const start = (promptTokens = 0): ReplyStart => ({
    id: newId(),
    time: now(),
    model: request.model,
    request,
    promptTokens,
  })
  try {
    if (!opened) {
      const { start: stored, end } = await storedReply(asked, place)
      run.tell({ place })
      return await writer.end(stored ? { ...stored, request } : start(end.usage.promptTokens), end)
    }
    let begun: ReplyStart | undefined
    let trimmed = 0
    let reusable = 0
    const pieces = createPieces()
    const tokens = createTokens()
    const native =
      client &&
      openNative({
        ...{ upstream, model, face, request, client },
        write: (text, headers) => writer.passed(begun!, text, headers),
      })
    const { history } = asked.log
    const cached = given.cache.open({
      ...{ upstream, model, history, thread: opened.thread, isSide: place.isSide },
      native: client && { face, request, client },
    })
    const emit = (part: TurnPart): void | Promise<void> => {
      native?.see(part)
      if (part.type === 'context') {
        // A model may be asked more than once for one reply, which keeps its id.
        begun = { ...start(part.receipt.tokens), ...(begun && { id: begun.id, time: begun.time }) }
        trimmed = toModelTokens(trimmedTokens(part.receipt), part.factor)
        reusable = toModelTokens(part.receipt.prefix?.tokens ?? 0, part.factor)
        if (trimmed > 0) headers['x-throughline-trimmed'] = String(trimmed)
        pieces.clear()
        tokens.clear()
      } else if (part.type === 'text-delta') {
        pieces.add('text', part.text)
        tokens.add(part.logprobs)
        if (!native?.isPassed()) return writer.text(begun!, part.text, part.logprobs)
      } else if (part.type === 'thinking-delta') {
        pieces.add('thinking', part.text)
        if (!native?.isPassed()) return writer.thinking(begun!, part.text)
      }
    }
    const endOf = (reply: ModelReply): ReplyEnd => ({
      ...toEnd(reply),
      ...tokens.all(),
      ...(request.stream && pieces.inOrder()),
    })
    const answered = await answer(asked, opened, {
      ...{ model: native?.model ?? model, cached },
      options: client && !request.stream ? withPatience(options) : options,
      emit,
      onAsking(given) {
        if (given.notes || given.hasNoteTool) native?.hide()
      },
      ...(request.named.isStored && {
        dataOf(reply) {
          // The client knows the reply by the name that the upstream gave it.
          const { id } = reply.details ?? {}
          if (native?.isPassed() && typeof id === 'string') begun = { ...begun!, id: replyOfResponse(id) }
          return { response: toKept(begun!, endOf(reply), place.isDelta ? opened.first : 1) }
        },
        marksOf: () => [replyMark(begun!.id)],
      }),
    })
    const { result, reply } = answered
    run.tell({ place, answered, trimmed, reusable })
    if (reply) await saveTitle(asked, place, reply.text)
    const ending = native?.ending()
    if (reply && ending) await writer.passedEnd(begun!, ending.text, ending.headers)
    else if (reply) await writer.end(begun!, endOf(reply))
    else await failed(result.error ?? asked.signal.reason, native)
  } catch (error) {
    const fault = toFault(error)
    run.tell({ place, fault })
    await writer.fail(fault)
  }

  /** Tells the client what failed, in the words of the upstream if it was the upstream. */
  async function failed(error: unknown, native: NativeReply | undefined): Promise<void> {
    const isModels = error instanceof ModelError
    const said = isModels ? native?.fault() : undefined
    const refusal = isModels ? native?.refusal() : undefined
    if (said !== undefined) await writer.passedEnd(start(), said, {})
    else if (refusal) writer.refused(refusal)
    else await writer.fail(toFault(error))
  }
}

/** An upstream that is not asked for a stream is silent until all of the reply is written. */
const withPatience = (options: AnswerOptions): AnswerOptions =>
  options.stallMs === undefined ? options : { ...options, stallMs: options.stallMs * 2 }

function toEnd({ text, thinking, calls, usage, reason, details }: ModelReply): ReplyEnd {
  return { text, thinking, calls, usage, reason, ...present({ details }) }
}

/** The answer that the log has for a request that was repeated: the same response, if it was kept as one. */
async function storedReply(
  { log }: Asked,
  { thread, after }: Again,
): Promise<{ readonly start?: ReplyStart; readonly end: ReplyEnd }> {
  const rest = await listLog(sourceOf(log, thread), { from: after + 1 })
  const first = rest.findIndex(({ message, isBroken }) => message.role === 'assistant' && !isBroken)
  // A model that only wrote a note was asked again: our own answer to the note does not end the reply.
  const end = rest.findIndex((entry, at) => at > first && isGiven(entry))
  const replies = rest
    .slice(0, end < 0 ? rest.length : end)
    .filter(({ message, isBroken }) => message.role === 'assistant' && !isBroken)
  const reply = replies.findLast(entry => keptIn(entry) !== undefined)
  if (reply) {
    // Its client gets this id once more, so it must be known, whatever became of the mark.
    await log.store.saveMarks(thread, [{ mark: replyMark(keptIn(reply)!.id), at: reply.seq }])
    return fromKept(reply)
  }
  const said = replies.filter(({ isClosing }) => !isClosing).map(entry => fromKept(entry).end)
  const calls = said.flatMap(({ calls }) => calls)
  return {
    end: {
      reason: calls.length > 0 ? 'tool-calls' : 'stop',
      text: said.map(({ text }) => text).join(''),
      thinking: said.map(({ thinking }) => thinking).join(''),
      calls,
      usage: {},
    },
  }
}

/** Follows how texts and thoughts take turns. */
function createPieces() {
  const pieces: ['text' | 'thinking', number][] = []
  return {
    add(kind: 'text' | 'thinking', { length }: string): void {
      if (length === 0) return
      const last = pieces.at(-1)
      if (last?.[0] === kind) last[1] += length
      else pieces.push([kind, length])
    },
    clear(): void {
      pieces.length = 0
    },
    /** The pieces, if they are not simply thoughts and then a text. */
    inOrder: () => (pieces.length > 2 || pieces[1]?.[0] === 'thinking' ? { pieces: [...pieces] } : {}),
  }
}

/** Gathers the log probabilities of a reply. */
function createTokens() {
  const shown: unknown[] = []
  let size = 0
  return {
    add(logprobs: readonly unknown[] | undefined): void {
      if (!logprobs) return
      size += JSON.stringify(logprobs).length
      if (size > mostLogprobs) shown.length = 0
      else for (const one of logprobs) shown.push(one)
    },
    clear(): void {
      shown.length = 0
      size = 0
    },
    all: () => (shown.length > 0 ? { logprobs: shown } : {}),
  }
}

/** In characters of JSON. A reply with more of them is told without: a stream has brought them already. */
const mostLogprobs = 64 * 1024 * 1024
