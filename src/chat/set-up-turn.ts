import { ThroughlineError } from '../log/error.ts'
import type { ToolSpec } from '../models/model.ts'
import { type NoteOptions, noteInstruction, noteTool } from '../notes/index.ts'
import { appendToConversation, bindContext, type RequestContext, runWithContext } from '../request/index.ts'
import type { ChatNotes, ChatOptions } from './chat-options.ts'
import { findWindow } from './find-window.ts'
import { linkSignals } from './link-signals.ts'
import { readResultTool } from './read-result-tool.ts'
import type { TurnRequestScope, TurnRun } from './run-turn.ts'
import type { Session } from './session.ts'
import { type Tool, toSpec } from './tool.ts'
import { type Limit, withLimit } from './with-limit.ts'

/** Who asks: it goes into the request context of the tools. */
export interface TurnRequest extends Pick<RequestContext, 'data'> {
  readonly projectId?: string | undefined
  readonly signal: AbortSignal | undefined
}

/** All that a turn needs, settled before it runs. */
export async function setUpTurn(
  options: ChatOptions,
  session: Session,
  { signal: cancel, ...request }: TurnRequest,
): Promise<TurnRun> {
  const { model, settings = {}, retries = 3, backoffMs = 500, stallMs = 120_000 } = options
  // Both last no longer than the turn: nothing has to be unlinked.
  const { signal } = linkSignals(session.signal, cancel)
  const window = options.window ?? (await findWindow(model, { signal, retries, backoffMs, stallMs })) ?? 4096
  const reserve = options.reserve ?? Math.min(settings.maxTokens ?? Math.floor(window / 8), window >> 1)
  const mostResultTokens = options.maxResultTokens ?? Math.floor(window / 4)
  const tools = toolsOf(options, session, mostResultTokens)
  const notes = notesOf(options)
  return {
    session,
    model,
    window,
    reserve,
    settings,
    retries,
    backoffMs,
    stallMs,
    signal,
    tools,
    mostResultTokens,
    openRequest: () => openRequest(session, request),
    timeoutMs: options.toolTimeoutMs ?? 60_000,
    maxRounds: options.maxRounds ?? 20,
    system: await systemOf(options, notes, { signal, ms: stallMs }),
    specs: [...[...tools.values()].map(toSpec), ...(notes?.by === 'tool' ? [noteSpec] : [])],
    notes: notesInReply(options),
    hasNoteTool: notes?.by === 'tool',
    fit: {
      ...(options.policy && { policy: options.policy }),
      ...(options.pins && { pins: options.pins }),
      ...(options.shape && { shape: options.shape }),
      ...(notes?.place && { notes: notes.place }),
    },
  }
}

function toolsOf(
  { tools = [] }: ChatOptions,
  session: Session,
  mostTokens: number,
): ReadonlyMap<string, Tool> {
  const all = new Map(tools.map(tool => [tool.name, tool]))
  if (all.size === 0) return all
  const reading = readResultTool({ mostTokens, count: session.count }, session)
  return all.set(reading.name, reading)
}

function notesOf({
  notes = false,
}: ChatOptions): (ChatNotes & { readonly by: 'reply' | 'tool' }) | undefined {
  if (notes === false) return undefined
  return { by: 'reply', ...(notes === true ? {} : notes) }
}

/** How the notes that stand in a reply are marked; undefined where what looks like one is ordinary text. */
export function notesInReply(options: ChatOptions): NoteOptions | undefined {
  const notes = notesOf(options)
  return notes?.by === 'reply' ? markerOf(notes) : undefined
}

const markerOf = ({ nonce }: ChatNotes): NoteOptions => (nonce === undefined ? {} : { nonce })

const noteSpec: ToolSpec = noteTool.function

/** The application's own prompt first: what follows from our options stands at its end. */
async function systemOf(
  { system }: ChatOptions,
  notes: ReturnType<typeof notesOf>,
  limit: Pick<Limit, 'signal' | 'ms'>,
): Promise<string | undefined> {
  const ask = async () => (typeof system === 'function' ? system() : system)
  const own = await withLimit(ask(), { ...limit, late: () => noSystem(limit.ms) })
  const asked = notes && (notes.instruction ?? (notes.by === 'reply' ? noteInstruction(markerOf(notes)) : ''))
  const parts = [own, asked].filter(part => part !== undefined && part !== '')
  return parts.length > 0 ? parts.join('\n\n') : undefined
}

const noSystem = (ms: number) =>
  new ThroughlineError(
    'system_stalled',
    `The function that was passed as "system" gave no prompt within ${ms} ms: see what it waits for, or raise stallMs.`,
  )

/** One request context for the whole turn: what a tool remembers, a later one finds. */
async function openRequest(
  session: Session,
  { projectId, data }: Omit<TurnRequest, 'signal'>,
): Promise<TurnRequestScope> {
  const context: RequestContext = {
    ...(await session.request()),
    ...(projectId === undefined ? {} : { projectId }),
    ...(data === undefined ? {} : { data }),
  }
  const inRequest = runWithContext(context, () => bindContext((action: () => unknown) => action()))
  return {
    inRequest: inRequest as TurnRequestScope['inRequest'],
    tell: message => void inRequest(() => appendToConversation(message)),
  }
}
