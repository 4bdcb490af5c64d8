import { listLog } from '../../history/log/read-log.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { Model } from '../../models/model.ts'
import { sleep } from '../../models/sleep.ts'
import { ConflictError, LeaseError } from '../../stores/store-error.ts'
import type { Cancels } from '../../turn/cancels.ts'
import { linkSignals, type ModelReply, notesInReply, type TurnPart } from '../../turn/index.ts'
import type { Face, FaceFault, ReplyEnd, ReplyStart } from '../faces/index.ts'
import { toFault } from '../to-fault.ts'
import type { Hear, WireFacts } from '../upstream/upstream.ts'
import { type Answered, type AnswerOptions, answer } from './answer.ts'
import type { Asked } from './asked.ts'
import { findPlace } from './find-place.ts'
import { replyMark } from './find-reply.ts'
import { fromKept, keptIn, toKept } from './kept-response.ts'
import { type OpenedTurn, openTurn, SameRequestError } from './open-turn.ts'
import type { Again, Place } from './place.ts'
import { faultResponse, type ReplyWriter, streamWriter, wholeWriter } from './reply-writer.ts'
import { placeOfKey, untilAlone } from './same-key.ts'

/** What became of a request. */
export interface Outcome {
  readonly place?: Place | Again
  readonly answered?: Answered
  readonly fault?: FaceFault
}

export interface ToServe {
  readonly asked: Asked
  readonly face: Face
  readonly requestId: string
  readonly modelFor: (name: string, hear: Hear) => Model
  readonly options: AnswerOptions
  readonly cancels: Cancels
  readonly now: () => number
  /** Called once, when the request is over. */
  readonly tell: (outcome: Outcome) => void
  /** Called once, when nothing more is to be sent. */
  readonly leave: () => void
  /** How long a client may leave a stream unread before it counts as gone. */
  readonly unreadMs: number
  /** After how much silence a stream sends a sign of life. */
  readonly keepAliveMs: number
}

/** Answers a request of a client on its face. The answer begins when the model does: before that, a failure has its status. */
export async function respond(given: ToServe): Promise<Response> {
  const { face, requestId, unreadMs, keepAliveMs, leave } = given
  const client = linkSignals(given.asked.signal)
  const asked = { ...given.asked, signal: client.signal }
  let entered: Entered
  let letOn = () => {}
  try {
    letOn = await untilAlone(asked)
    entered = await enter(asked)
  } catch (error) {
    letOn()
    leave()
    return refuse(given, error)
  }
  const { place } = entered
  const headers = {
    'x-request-id': requestId,
    'x-throughline-conversation': encodeURIComponent(place.thread.conversation),
    'x-throughline-branch': encodeURIComponent(place.thread.branch),
  }
  const writer = asked.request.stream
    ? streamWriter(face, { signal: asked.signal, unreadMs, keepAliveMs, giveUp: client.abort }, headers)
    : wholeWriter(face, requestId, headers)
  const done = given.cancels.watch(place.thread, () => client.abort(cancelled()))
  // The work goes on behind the response, and is closed however it ends.
  void serve({ ...given, asked }, entered, writer).finally(() => {
    letOn()
    done()
    leave()
  })
  return writer.response
}

const cancelled = () => new ThroughlineError('reply_cancelled', 'Somebody has cancelled this reply.')

type Entered =
  | { readonly place: Place; readonly opened: OpenedTurn }
  | { readonly place: Again; readonly opened?: undefined }

/** How often others may get ahead between finding a place and taking it. */
const mostTries = 5

/** Finds the place of a request and takes it. Somebody who takes it first may make it a place for a branch. */
async function enter(asked: Asked): Promise<Entered> {
  let isGone = false
  for (let tries = 1; ; tries++) {
    const found = await findPlace(asked)
    if (found.kind === 'again') return { place: found }
    const place: Place = isGone ? found : placeOfKey(asked, found)
    try {
      return { place, opened: await openTurn(asked, place) }
    } catch (error) {
      // The conversation that a request with this key began was deleted since.
      isGone ||= place !== found && (error as { code?: unknown }).code === 'conversation_deleted'
      const isTaken =
        error instanceof LeaseError || error instanceof ConflictError || error instanceof SameRequestError
      if (!(isTaken || isGone) || tries >= mostTries) throw error
      // The one that was faster has begun by then.
      await sleep(pauseMs * tries, asked.signal)
    }
  }
}

const pauseMs = 5

function refuse({ face, requestId, tell }: ToServe, error: unknown): Response {
  const fault = toFault(error)
  tell({ fault })
  return faultResponse(face, fault, requestId, { 'x-request-id': requestId })
}

async function serve(given: ToServe, { place, opened }: Entered, writer: ReplyWriter): Promise<void> {
  const { asked, face, modelFor, options, now, tell } = given
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
      tell({ place })
      return await writer.end(stored ? { ...stored, request } : start(end.usage.promptTokens), end)
    }
    const facts = createFacts(await hidesNotes(options, opened))
    let begun: ReplyStart | undefined
    const pieces = createPieces()
    const emit = (part: TurnPart): void | Promise<void> => {
      if (part.type === 'context') {
        // A model may be asked more than once for one reply, which keeps its id.
        begun = { ...start(part.receipt.tokens), ...(begun && { id: begun.id, time: begun.time }) }
        pieces.clear()
      } else if (part.type === 'text-delta') {
        pieces.add('text', part.text)
        return writer.text(begun!, part.text, facts.logprobs(part.text))
      } else if (part.type === 'thinking-delta') {
        pieces.add('thinking', part.text)
        return writer.thinking(begun!, part.text)
      }
    }
    const endOf = (reply: ModelReply): ReplyEnd => ({
      ...toEnd(reply),
      ...facts.end(),
      ...(request.stream && pieces.inOrder()),
    })
    const isNamed = face.name === 'responses' && request.named.isStored !== false
    const answered = await answer(asked, opened, {
      model: modelFor(request.model, facts.hear),
      options,
      emit,
      ...(isNamed && {
        dataOf: reply => ({ response: toKept(begun!, endOf(reply), place.isDelta ? opened.first : 1) }),
        marksOf: () => [replyMark(begun!.id)],
      }),
    })
    const { result, reply } = answered
    tell({ place, answered })
    if (reply) await writer.end(begun!, endOf(reply))
    else await writer.fail(toFault(result.error ?? asked.signal.reason))
  } catch (error) {
    const fault = toFault(error)
    tell({ place, fault })
    await writer.fail(fault)
  }
}

/** Whether notes are cut out of replies here. A turn that cannot be answered is left, so that it holds nobody up. */
async function hidesNotes(options: AnswerOptions, { thread, turn }: OpenedTurn): Promise<boolean> {
  try {
    return (await notesInReply(options, thread)) !== undefined
  } catch (error) {
    await turn.leave().catch(() => undefined)
    throw error
  }
}

function toEnd({ text, thinking, calls, usage, reason }: ModelReply): ReplyEnd {
  return { text, thinking, calls, usage, reason }
}

/** The answer that the log has for a request that was repeated: the same response, if it was kept as one. */
async function storedReply(
  { log }: Asked,
  { thread, after }: Again,
): Promise<{ readonly start?: ReplyStart; readonly end: ReplyEnd }> {
  const source = { store: log.store, key: thread, count: log.history.count }
  const rest = (await listLog(source, { from: after + 1 })).filter(({ isBroken }) => !isBroken)
  const first = rest.findIndex(({ message }) => message.role === 'assistant')
  const reply = rest[first]
  const kept = reply && keptIn(reply)
  if (kept) {
    // Its client gets this id once more, so it must be known, whatever became of the mark.
    await log.store.saveMarks(thread, [{ mark: replyMark(kept.id), at: reply.seq }])
    return fromKept(reply)
  }
  const end = rest.findIndex(
    ({ message: { role } }, at) => at > first && (role === 'user' || role === 'tool'),
  )
  const replies = (end < 0 ? rest : rest.slice(0, end)).filter(
    ({ message, isClosing }) => message.role === 'assistant' && !isClosing,
  )
  const said = replies.map(entry => fromKept(entry).end)
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

/** Gathers what the wire said beside the parts. Of a note, which is cut out of the text, no token may be told. */
function createFacts(hidesNotes: boolean) {
  const shown: unknown[] = []
  const waiting: unknown[] = []
  let details: WireFacts['details']
  let size = 0
  return {
    hear(facts: WireFacts): void {
      for (const one of facts.logprobs ?? []) waiting.push(one)
      if (facts.logprobs) size += JSON.stringify(facts.logprobs).length
      details = facts.details ?? details
    },
    /** The log probabilities of the tokens of a text that is shown. */
    logprobs(text: string): readonly unknown[] | undefined {
      if (waiting.length === 0) return undefined
      const found = hidesNotes ? takeTokens(waiting, text) : waiting.splice(0)
      if (size > mostLogprobs) shown.length = 0
      else for (const one of found) shown.push(one)
      return found.length > 0 ? found : undefined
    },
    end: () => ({ ...(shown.length > 0 && { logprobs: shown }), ...(details && { details }) }),
  }
}

/** In characters of JSON. A reply with more of them is told without: a stream has brought them already. */
const mostLogprobs = 64 * 1024 * 1024

/** Takes the tokens that a text is made of, in order. What stands between them was not shown. */
function takeTokens(waiting: unknown[], text: string): readonly unknown[] {
  const found: unknown[] = []
  let left = text
  let at = 0
  for (; at < waiting.length && left !== ''; at++) {
    const { token } = (waiting[at] ?? {}) as { token?: unknown }
    if (typeof token !== 'string' || token === '' || !left.startsWith(token)) continue
    found.push(waiting[at])
    left = left.slice(token.length)
  }
  waiting.splice(0, at)
  return found
}
