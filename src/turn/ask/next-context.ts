import { ContextOverflowError } from '../../context/compose/finish.ts'
import type { Context } from '../../context/context.ts'
import type { Receipt } from '../../context/receipt.ts'
import { offeredTools } from '../../context/tools/shorten-tools.ts'
import type { MessageLike } from '../../log/message.ts'
import { present } from '../../log/present.ts'
import { leaveOutFiles } from '../../models/leave-out.ts'
import type { ToolSpec } from '../../models/model.ts'
import { type Calibration, inCounts, type Room, toModelTokens } from '../../tokens/calibration.ts'
import { replyReserve } from '../../tokens/reply-reserve.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { AskOptions } from '../turn-options.ts'

/** What a context is made from: the options of the calls, and a log that can be read. */
export interface ToFit extends AskOptions {
  /** Why no file is sent at all, whatever the model takes. */
  readonly noFiles?: string | undefined
  readonly log: Pick<TurnLog, 'count' | 'hasClipped' | 'calibration' | 'context'>
}

/** What the next call sends: the context, and the tools that are offered. */
export interface NextCall extends Room {
  readonly context: Context
  readonly tools: readonly ToolSpec[]
  /** Whether the conversation holds images or other files. */
  readonly hasFiles: boolean
  /** What is known of the model before the call. */
  readonly known: Calibration
}

/** The room of the next call, and what is settled with it. */
export interface NextRoom extends Room {
  /** The system prompt and the tools, in the model's tokens; 0 where the reserve was set and they were not counted. */
  readonly head: number
  readonly offered: readonly ToolSpec[]
  readonly known: Calibration
}

/** Settles the room for the next call: the window, and what is kept free for the reply. */
export async function nextRoom(given: ToFit): Promise<NextRoom> {
  const { log, model, window, settings, mostResultTokens, specs, readOn } = given
  const offered = readOn && (await log.hasClipped(mostResultTokens)) ? [...specs, readOn] : specs
  const unknown = { model: model.name, counter: log.count.id, factor: 1 }
  const learned: Calibration = (await log.calibration(model.name)) ?? unknown
  const { factor, reply: likely } = learned
  const kept = { window, factor, offered, known: learned }
  if (given.reserve !== undefined) return { ...kept, reserve: given.reserve, head: 0 }
  const head = toModelTokens(headTokens(given, offered), factor)
  const { reserve, why } = replyReserve({ window, head, likely, asked: settings.maxTokens })
  return { ...kept, reserve, head, reserveWhy: why }
}

/** Makes the context for the next call. */
export async function nextContext(given: ToFit): Promise<NextCall> {
  const { log, model, settings, mostResultTokens, system, fit, signal, noFiles } = given
  const { head: _, offered, known: learned, ...room } = await nextRoom(given)
  const { factor } = room
  const { files } = model
  let hasFiles = false
  const leaveOut = (message: MessageLike) => {
    hasFiles = true
    return leaveOutFiles(message, file => files?.refuse(file) ?? noFiles)
  }
  const options = {
    leaveOut: files && leaveOut,
    ...fit,
    ...inCounts(room),
    mostResultTokens,
    tools: offered,
    system,
  }
  const ask = () => log.context(options).catch(error => Promise.reject(inModelTokens(error, factor)))
  const first = await ask()
  // What a model takes is asked for only where a conversation holds files.
  const isKnown = !hasFiles || !(await files?.learn?.(signal))
  const context = isKnown ? first : await ask()
  return {
    ...{ context: asSet(context, room), tools: (context.tools ?? []) as readonly ToolSpec[] },
    ...{ hasFiles, known: learned },
    ...room,
    ...present({ mostReply: mostReply(context, factor, settings.maxTokens) }),
  }
}

/** The context with the window and the reserve of its receipt as they were set: they were fitted in our counts. */
function asSet(context: Context, { window, reserve, factor }: Room): Context {
  if (factor === 1) return context
  // Its lists are made when first read.
  const all = Object.getOwnPropertyDescriptors(context.receipt)
  const settings = { window: { ...all.window, value: window }, reserve: { ...all.reserve, value: reserve } }
  return { ...context, receipt: Object.defineProperties({}, { ...all, ...settings }) as Receipt }
}

/** Our count of the system prompt and of the tools, which one request may need twice. */
function headTokens(
  { log: { count }, system = '', fit: { maxToolTokens } }: ToFit,
  tools: readonly ToolSpec[],
): number {
  const before = counted.get(tools)
  const sent = () => offeredTools({ tools, count, maxToolTokens }).tools
  const tokens = before?.counter === count.id ? before.tokens : count.tools(sent())
  counted.set(tools, { counter: count.id, tokens })
  return count.text(system) + tokens
}

/** Nobody changes a list of tools that is being asked with, nor how much of it is sent. */
const counted = new WeakMap<readonly ToolSpec[], { readonly counter: string; readonly tokens: number }>()

/** The most tokens that the model is asked for: what the client wants, but no more than the window has left. */
function mostReply({ receipt }: Context, factor: number, asked: number | undefined): number | undefined {
  const left = Math.floor((receipt.free + receipt.reserve) * factor)
  return asked === undefined ? undefined : Math.max(1, Math.min(asked, left))
}

/** The figures of an overflow in the tokens in which the window was set. */
function inModelTokens(error: unknown, factor: number): unknown {
  if (!(error instanceof ContextOverflowError) || factor === 1) return error
  const { advice, parts, ...figures } = error
  const scaled = <Counts extends object>(counts: Counts) =>
    Object.fromEntries(
      Object.entries(counts).map(([name, tokens]) => [name, toModelTokens(tokens, factor)]),
    ) as Counts
  return new ContextOverflowError({ ...scaled(figures), parts: scaled(parts) }, advice)
}
