import { type Context, ContextOverflowError, offeredTools } from '@throughline/core/context'
import { replyReserve } from '@throughline/core/counters'
import type { Receipt } from '@throughline/core/explain'
import type { Calibration, MessageLike } from '@throughline/core/messages'
import { inCounts, isUnknownWindow, type Room, toModelTokens } from '@throughline/core/tokens'
import { present } from '@throughline/core/values'
import { leaveOutFiles, type ToolSpec } from '@throughline/models/model'
import type { TurnLog } from '../log/turn-log.ts'
import type { AskOptions } from '../turn-options.ts'

/** What a context is made from: the options of the calls, and a log that can be read. */
export interface FitRequest extends AskOptions {
  /** Why no file is sent at all, whatever the model takes. */
  readonly noFiles?: string | undefined
  readonly log: Pick<TurnLog, 'count' | 'hasClipped' | 'calibration' | 'context'>
}

/** Settles the room for the next call: the window, and what is kept free for the reply. */
export async function nextRoom(request: FitRequest) {
  const { log, model, window, settings, mostResultTokens, specs, readOn } = request
  const tools = readOn && (await log.hasClipped(mostResultTokens)) ? [...specs, readOn] : specs
  const uncalibrated = { model: model.name, counter: log.count.id, factor: 1 }
  const calibration: Calibration = (await log.calibration(model.name)) ?? uncalibrated
  const { factor, reply: likely } = calibration
  const roomWith = (reserve: number, reserveWhy?: string): Room => ({
    window,
    reserve,
    factor,
    reserveWhy,
  })
  // The system prompt and the tools are counted only where the reserve depends on them.
  const setReserve = request.reserve ?? (isUnknownWindow(window) ? 0 : undefined)
  if (setReserve !== undefined) return { room: roomWith(setReserve), head: 0, tools, calibration }
  const head = toModelTokens(headTokens(request, tools), factor)
  const { reserve, why } = replyReserve({ window, head, likely, asked: settings.maxTokens })
  return { room: roomWith(reserve, why), head, tools, calibration }
}

/** Makes the context for the next call, and says which tools are sent and whether the conversation holds files. */
export async function nextContext(request: FitRequest) {
  const { log, model, settings, mostResultTokens, system, fit, signal, noFiles } = request
  const { room, tools, calibration } = await nextRoom(request)
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
    tools,
    system,
  }
  const ask = () =>
    log.context(options).catch(error => Promise.reject(inModelTokens(error, factor)))
  const first = await ask()
  // What a model takes is asked for only where a conversation holds files.
  const isKnown = !hasFiles || !(await files?.learn?.(signal))
  const context = isKnown ? first : await ask()
  const most = mostReply(context, factor, settings.maxTokens)
  return {
    context: asSet(context, room),
    room: present({ ...room, mostReply: most }) as Room,
    tools: (context.tools ?? []) as readonly ToolSpec[],
    hasFiles,
    calibration,
  }
}

/** The context with the window and the reserve of its receipt as they were set: they were fitted in our counts. */
function asSet(context: Context, { window, reserve, factor }: Room): Context {
  if (factor === 1) return context
  // Its lists are made when first read.
  const all = Object.getOwnPropertyDescriptors(context.receipt)
  const settings = {
    window: { ...all.window, value: window },
    reserve: { ...all.reserve, value: reserve },
  }
  return { ...context, receipt: Object.defineProperties({}, { ...all, ...settings }) as Receipt }
}

/** Our count of the system prompt and of the tools, which one request may need twice. */
function headTokens(
  { log: { count }, system = '', fit: { maxToolTokens } }: FitRequest,
  tools: readonly ToolSpec[],
): number {
  const before = counted.get(tools)
  const sent = () => offeredTools({ tools, count, maxToolTokens }).tools
  const tokens = before?.counter === count.id ? before.tokens : count.tools(sent())
  counted.set(tools, { counter: count.id, tokens })
  return count.text(system) + tokens
}

/** Tokens by list of tools: neither a list nor its `maxToolTokens` changes between calls. */
const counted = new WeakMap<
  readonly ToolSpec[],
  { readonly counter: string; readonly tokens: number }
>()

/** The most tokens that the model is asked for: what the client wants, but no more than the window has left. */
function mostReply(
  { receipt }: Context,
  factor: number,
  maxTokens: number | undefined,
): number | undefined {
  const left = Math.floor((receipt.free + receipt.reserve) * factor)
  return maxTokens === undefined ? undefined : Math.max(1, Math.min(maxTokens, left))
}

/** The figures of an overflow in the tokens in which the window was set. */
function inModelTokens(error: unknown, factor: number): unknown {
  if (!(error instanceof ContextOverflowError) || factor === 1) return error
  const { advice, parts, window, reserve, capacity, needed } = error
  const scaled = <Counts extends object>(counts: Counts) =>
    Object.fromEntries(
      Object.entries(counts).map(([name, tokens]) => [name, toModelTokens(tokens, factor)]),
    ) as Counts
  return new ContextOverflowError(
    { ...scaled({ window, reserve, capacity, needed }), parts: scaled(parts) },
    advice,
  )
}
