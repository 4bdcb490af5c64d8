import { tiered } from 'throughline'
import { createChat } from 'throughline/chat'
import { summarizeProgram } from 'throughline/digests'
import { createHistory } from 'throughline/history'
import type { Model } from 'throughline/models'
import type { Store } from 'throughline/stores'
import { chipsFor, chipsIn } from '../shared/understanding.ts'
import { findReturn, returnIn } from './earlier.ts'
import { type Decision, decide } from './follow-up.ts'
import { instructions } from './instructions.ts'
import { type Program, readProgram, replySchema } from './program.ts'
import { isOff, lampUnderstanding, turnsOn } from './rules/read-lamp.ts'
import { type Exchange, findScenes, type Scene, sceneName, toExchanges } from './scenes.ts'
import { type TokenUse, toTokenUse } from './token-use.ts'

export const lampWindow = 4096
/** How a model is asked: 700 tokens are kept free for a long program, and the newest program is always sent whole. */
const reserve = 700
export const lampAsking = {
  system: instructions,
  settings: { format: replySchema, temperature: 0, maxTokens: reserve },
  window: lampWindow,
  reserve,
  policy: tiered({ full: 2, isCurrent: ({ messages }) => isProgram(messages.at(-1)?.text) }),
}

/** What happens while a request is answered, in this order; everything may be shown. */
export type LampPart =
  | ({ readonly type: 'decision' } & Decision)
  | ({ readonly type: 'tokens' } & TokenUse)
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'warning'; readonly message: string }
  /** The new program, which plays from now on. */
  | { readonly type: 'program'; readonly program: Program; readonly summary: string }
  /** There is no new program, and why: the former one goes on. `said` is a model's answer in words. */
  | {
      readonly type: 'kept'
      readonly why: string
      readonly isCancelled?: boolean
      readonly said?: string
    }

export interface LampView {
  readonly program?: Program
  /** The program in a line. */
  readonly summary?: string
  readonly exchanges: Awaited<ReturnType<typeof toExchanges>>
  /** What the next request would find in the window. */
  readonly tokens: TokenUse
  /** Sentences that work now: of the last answer if it asked back, else of what plays and of the log. */
  readonly chips: readonly string[]
}

export interface Lamp {
  view(): Promise<LampView>
  ask(request: string, options?: AskOptions): AsyncIterable<LampPart>
}

export interface AskOptions {
  /** Says whether the request is new or a follow-up. Default: the rules decide. */
  readonly as?: Decision['kind'] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Thrown when a lamp is asked while it is still answering. */
export class LampBusyError extends Error {}

export interface LampOptions {
  readonly store: Store
  readonly model: Model
  /** Whose lamp it is: every lamp is a tenant of the store, so lamps never see each other. */
  readonly name: string
  /** The model is the rules of this folder: what they do not understand begins no scene. */
  readonly isRules?: boolean
}

/**
 * A lamp that is driven by talking to it.
 *
 * A new request begins a scene: a conversation of its own, which starts with the program that plays. Only when it has
 * brought a program does the lamp move on to it; until then, and if it fails, the former scene stays with all its history.
 * A follow-up goes on in the scene: its last two exchanges are sent whole, older ones as one line each, and the newest
 * program always in full.
 */
export function createLamp({ store, model, name, isRules = false }: LampOptions): Lamp {
  const { window, reserve, policy, ...asking } = lampAsking
  const history = createHistory({ store, tenant: name, window, reserve, policy })
  const chat = createChat({ history, model, ...asking })
  let loaded: Promise<{ readonly count: number; readonly current?: Scene }> | undefined
  let isBusy = false

  /** The number of scenes, and the one that plays. Read from the log once, then kept. */
  function scenes() {
    loaded ??= findScenes(history)
    return loaded
  }

  /** The conversation for a request. A new scene starts with the exchange that made the program that plays. */
  async function open(kind: Decision['kind']): Promise<string> {
    const { count, current } = await scenes()
    if (kind === 'follow-up' && count > 0) return current?.conversation ?? sceneName(count)
    const conversation = sceneName(count + 1)
    loaded = Promise.resolve({ count: count + 1, ...(current && { current }) })
    if (current)
      await history
        .thread(conversation)
        .seed(
          { role: 'user', content: current.asked },
          { role: 'assistant', content: current.reply },
        )
    return conversation
  }

  async function* answer(request: string, { as, signal }: AskOptions): AsyncGenerator<LampPart> {
    const { current } = await scenes()
    const isReturned = current && as !== 'new' ? yield* goBack(request, current) : false
    if (isReturned) return
    const isUnread = isRules && as === undefined && !playsSomething(request, current?.program)
    const first = isUnread ? notRead : decide(request, current !== undefined)
    const { decision, asked } = settle(request, current && as, first)
    yield { type: 'decision', ...decision }
    const conversation = await open(decision.kind)
    let reply = ''
    let fault: Extract<LampPart, { type: 'kept' }> | undefined
    for await (const part of chat.send(asked, { conversation, signal })) {
      if (part.type === 'context') yield { type: 'tokens', ...toTokenUse(part.receipt) }
      if (part.type === 'warning') yield { type: 'warning', message: part.message }
      if (part.type === 'error') fault = { type: 'kept', why: part.error.message }
      if (part.type === 'end' && part.status === 'cancelled')
        fault = { type: 'kept', why: 'you stopped it', isCancelled: true }
      if (part.type !== 'text-delta') continue
      reply += part.text
      yield { type: 'text', text: part.text }
    }
    if (fault) return yield fault
    const { program, problem } = readProgram(reply)
    if (!program)
      return yield { type: 'kept', why: problem, ...(!reply.includes('{') && { said: reply }) }
    const { count } = await scenes()
    loaded = Promise.resolve({ count, current: { conversation, asked, reply, program } })
    yield { type: 'program', program, summary: summarizeProgram(program) }
  }

  /** Plays again what the log has, without a model. False where the request wants something else, or the log has no such thing. */
  async function* goBack(request: string, current: Scene): AsyncGenerator<LampPart, boolean> {
    const { count } = await scenes()
    const earlier = wantedBack(request, await toExchanges(history, count), current.program)
    const { program } = earlier ? readProgram(earlier.reply) : {}
    if (!earlier || !program) return false
    const { conversation } = current
    const begun = await history.thread(conversation).begin({ role: 'user', content: request })
    if (begun.kind !== 'begun') return false
    yield {
      type: 'decision',
      kind: 'follow-up',
      why: `“${earlier.asked}” is taken from the log: no model is asked`,
    }
    await begun.turn.complete({ role: 'assistant', content: earlier.reply })
    loaded = Promise.resolve({
      count,
      current: { conversation, asked: request, reply: earlier.reply, program },
    })
    yield { type: 'text', text: earlier.reply }
    yield { type: 'program', program, summary: summarizeProgram(program) }
    return true
  }

  return {
    async view() {
      const { count, current } = await scenes()
      const conversation = current?.conversation ?? sceneName(count + 1)
      const { receipt } = await history.thread(conversation).context({ system: instructions })
      const exchanges = await toExchanges(history, count, { conversation, receipt })
      return {
        ...(current && { program: current.program, summary: summarizeProgram(current.program) }),
        exchanges,
        tokens: toTokenUse(receipt),
        chips: lampChips(exchanges, current?.program),
      }
    },
    async *ask(request, options = {}) {
      if (isBusy) throw new LampBusyError('The lamp is still answering: wait, or stop it first.')
      isBusy = true
      try {
        yield* answer(request, options)
      } finally {
        isBusy = false
      }
    },
  }
}

/** The exchange whose program a request wants back: "undo", "back to the campfire", "turn it on again". */
export function wantedBack(
  request: string,
  exchanges: readonly Exchange[],
  program: Program,
): Exchange | undefined {
  const wish = returnIn(request) ?? (isOff(program) && turnsOn(request) ? {} : undefined)
  return wish && findReturn(exchanges, wish)
}

const notRead: Decision = { kind: 'follow-up', why: 'no word of it asks for something else' }

const playsSomething = (request: string, program: Program | undefined) =>
  lampUnderstanding.read(request, { program })?.kind === 'play'

/** What works now: the sentences of an answer that asked back, else what fits what plays. */
export function lampChips(
  exchanges: readonly Exchange[],
  program: Program | undefined,
): readonly string[] {
  const asked = chipsIn(exchanges.at(-1)?.reply ?? '')
  if (asked.length > 0) return asked
  const earlier = findReturn(exchanges, {})
  const before = earlier && readProgram(earlier.reply).program
  return chipsFor(lampUnderstanding, { program, before, exchanges })
}

function isProgram(text = ''): boolean {
  return readProgram(text).program !== undefined
}

/** A person who overrules the rules says so in words, which every model understands. */
function settle(request: string, as: Decision['kind'] | undefined, decision: Decision) {
  if (as === undefined || as === decision.kind) return { decision, asked: request }
  const asked = as === 'new' ? `Something new: ${request}` : `Change what plays: ${request}`
  return { decision: { kind: as, why: 'you said so' }, asked }
}
