import { BadRequestError } from '@throughline/core/errors'
import { readMessage } from '@throughline/core/messages'
import { cut, isObject, parseJsonObject } from '@throughline/core/values'
import type { LoggedMessage, Thread } from '@throughline/history'
import { isOfClient } from '@throughline/history/log'
import { viewNotes } from '@throughline/history/threads'
import { isErased } from '@throughline/stores/errors'
import type { StoredEntry } from '@throughline/stores/store'
import { z } from 'zod'
import { refuseInner } from '../auth/refusals.ts'
import { sourceOf } from '../exchange/inquiry.ts'
import { callsBetween, pageCall } from './calls-back.ts'
import { atField } from './fit-thread.ts'
import { defineRoute, findConversation, threadOf } from './route.ts'
import {
  count,
  limitOf,
  message,
  name,
  place,
  status,
  threadFields,
  threadPlace,
  time,
} from './schemas.ts'

export const turnStatus = z.enum(['open', 'completed', 'failed', 'cancelled', 'interrupted'])

const turn = z.object({
  turn: count,
  status: turnStatus,
  first: place,
  last: place,
  startedAt: time,
  endedAt: time.optional(),
  error: z.string().optional().describe('the code of a failed turn'),
})

const thread = threadPlace.extend({
  turns: count,
  forkOf: z.object({ branch: name, at: place }).optional(),
  begins: z
    .object({
      turn: count,
      time,
      text: z.string().describe('its beginning'),
      how: z
        .enum(['again', 'reworded', 'on'])
        .describe(
          'whether it answers a turn again, words a message anew, or goes on where the other ends',
        ),
    })
    .optional()
    .describe('the first message that only this branch has, as a user may see it'),
  isUnanswered: z
    .boolean()
    .describe('whether all that a person asked on this branch ended without a word of an answer'),
  isOfClient: z
    .boolean()
    .describe('whether a client of the server asked last, and not the page or the API'),
  status,
})

const page = {
  ...threadFields,
  at: atField,
  limit: limitOf(100, 1000),
}

const shown = z
  .looseObject({ id: z.string(), seq: place, role: z.string() })
  .describe('a message as a user may see it: no notes, nothing that closed a turn')

const logged = z
  .object({
    id: z.string(),
    seq: place,
    turn: count,
    time,
    tokens: count.optional(),
    message,
    view: message.optional().describe('what contexts take in its place, where that differs'),
    isClosing: z.boolean().describe('whether it was written to close a turn'),
    isBroken: z
      .boolean()
      .optional()
      .describe(
        'whether the answer broke off here; a model reads it only if its turn is not tried again',
      ),
    isErased: z
      .boolean()
      .optional()
      .describe('whether its text was erased: a mark stands in its place'),
    hands: z
      .array(z.object({ does: z.enum(['pin', 'hide', 'free', 'erase']), seq: place }))
      .optional()
      .describe('what was done with earlier messages; most often an entry of its own'),
    isError: z.boolean().optional(),
    data: z.unknown().optional().describe('the data of the application'),
    calibration: z
      .object({
        model: z.string(),
        counter: z.string(),
        factor: z.number(),
        reply: count.optional(),
      })
      .optional(),
  })
  .describe('an entry with all that is stored beside its message')

const brief = z
  .object({
    seq: place,
    turn: count,
    role: z.string(),
    time,
    tokens: count.optional(),
    isErased: z.boolean().optional(),
    calls: z.array(z.string()).optional().describe('the tools that a reply called, by their names'),
  })
  .describe('an entry without its text')

export const threadRoutes = [
  defineRoute('get', '/conversations/:conversation/threads', {
    scope: 'read',
    summary:
      'Lists the threads with their branches, where these were forked, and whether a turn is open.',
    answer: z.object({ threads: z.array(thread) }),
    async handle({ params, looking, log }) {
      const { conversation, threads } = await findConversation(looking, params.conversation)
      const shownThreads = await Promise.all(
        threads.slice(0, 1000).map(async ({ actor, branch, head: listedHead, updatedAt }) => {
          const key = { tenant: log.tenant, conversation, actor, branch }
          const head = await log.store.head(key)
          const thread = looking.thread(conversation, { actor, branch })
          const status = await thread.status()
          const { turns = 0, forkOf } = head ?? {}
          const left =
            forkOf && threads.find(one => one.actor === actor && one.branch === forkOf.branch)
          const begins = forkOf && (await beginningOf(thread, forkOf.at + 1, left?.head))
          const isTheirs = await isOfClient(log.store, key)
          return {
            actor,
            branch,
            head: head?.head ?? listedHead,
            updatedAt,
            turns,
            forkOf,
            begins,
            status,
            isUnanswered:
              forkOf !== undefined && !isTheirs && (await isUnanswered(thread, forkOf.at)),
            isOfClient: isTheirs,
          }
        }),
      )
      return { threads: shownThreads }
    },
  }),
  defineRoute('get', '/conversations/:conversation/status', {
    scope: 'read',
    summary: 'Says whether a turn of the thread is open, by whom and for how long.',
    query: threadFields,
    answer: status,
    handle: async call => (await threadOf(call)).status(),
  }),
  defineRoute('get', '/conversations/:conversation/turns', {
    scope: 'read',
    summary: 'Lists the turns, oldest first.',
    query: threadFields,
    answer: z.object({ turns: z.array(turn) }),
    async handle(call) {
      const turns = await (await threadOf(call)).turns()
      // The idempotency key and the hash of the request are the writer's own.
      return { turns: turns.map(({ key: _, body: __, ...rest }) => rest) }
    },
  }),
  defineRoute('get', '/conversations/:conversation/entries', {
    scope: 'read',
    summary:
      'Shows the newest messages as a user may see them. `at` pages back: the seq before the first.',
    query: {
      ...page,
      calls: z
        .boolean()
        .optional()
        .describe('whether the calls behind these messages are told; needs the scope inspect'),
    },
    answer: z.object({ entries: z.array(shown), calls: z.array(pageCall).optional() }),
    async handle(call) {
      const { at, limit, calls = false } = call.query
      if (calls && !call.has('inspect'))
        throw new BadRequestError('calls: they need a key with the scope "inspect".', 'calls')
      const thread = await threadOf(call)
      const entries = await thread.display({ at, limit })
      const [first, last] = [entries[0], entries.at(-1)]
      if (!calls) return { entries }
      if (!first || !last) return { entries, calls: [] }
      // The call of the first message stands before it, if it is a reply.
      const from = first.role === 'user' ? first.seq : first.seq - 1
      return { entries, calls: await callsBetween(call.log.store, thread.key, from, last.seq) }
    },
  }),
  defineRoute('get', '/conversations/:conversation/log', {
    scope: 'inspect',
    summary:
      'Shows the newest entries as they are logged: with notes, closing messages, data and tokens.',
    query: page,
    answer: z.object({ entries: z.array(logged) }),
    async handle(call) {
      const { at, limit } = call.query
      const thread = await threadOf(call)
      const entries = await thread.entries({ at, limit })
      const [first, last] = [entries[0], entries.at(-1)]
      const tokens = new Map<number, number | undefined>()
      if (first && last)
        for await (const { seq, tokens: sizes } of call.log.store.entries(thread.key, {
          from: first.seq,
          to: last.seq,
        }))
          tokens.set(seq, sizes[call.looking.count.id])
      return { entries: entries.map(entry => toLogged(entry, tokens.get(entry.seq))) }
    },
  }),
  defineRoute('get', '/conversations/:conversation/outline', {
    scope: 'inspect',
    summary:
      'Lists all entries without their texts: role, turn, time and tokens of each, oldest first.',
    query: {
      ...threadFields,
      from: place.optional().describe('the first entry; default 1'),
      limit: limitOf(10_000, 20_000),
    },
    answer: z.object({ entries: z.array(brief) }),
    async handle(call) {
      const { from = 1, limit } = call.query
      const { key } = await threadOf(call)
      const entries: z.input<typeof brief>[] = []
      const range = { from: Math.max(1, from), limit }
      for await (const entry of call.log.store.entries(key, range)) {
        const { seq, turn, role, time, tokens } = entry
        const size = tokens[call.looking.count.id]
        const calls = callsIn(entry)
        entries.push({
          seq,
          turn,
          role,
          time,
          tokens: size,
          isErased: isErased(entry) || undefined,
          calls,
        })
      }
      return { entries }
    },
  }),
  defineRoute('get', '/conversations/:conversation/notes', {
    scope: 'inspect',
    summary: 'Lists the newest notes that the model wrote to itself, oldest first.',
    query: page,
    answer: z.object({
      notes: z.array(z.object({ seq: place, turn: count, time, text: z.string() })),
    }),
    async handle(call) {
      const { key } = await threadOf(call)
      return { notes: await viewNotes(sourceOf(call.log, key), call.query) }
    },
  }),
  defineRoute('post', '/conversations/:conversation/fork', {
    scope: 'chat',
    summary:
      'Forks a branch behind `at`: the end of a closed turn, or the place before a user message.',
    query: threadFields,
    body: { at: place, as: name.optional().describe('the name of the new branch') },
    status: 201,
    answer: z.object({ actor: name, branch: name, at: place }),
    async handle(call) {
      const { at, as: branch } = call.body
      refuseInner({ branch })
      const { key } = await (await threadOf(call)).fork({ at, branch })
      return { actor: key.actor, branch: key.branch, at }
    },
  }),
]

/** Whether all that a branch has of its own is one turn that ended without a word of an answer. */
async function isUnanswered(thread: Thread, at: number): Promise<boolean> {
  const turn = (await thread.turns()).at(-1)
  if (!turn || turn.first !== at + 1 || turn.status === 'open' || turn.status === 'completed')
    return false
  const own = await thread.entries({ at: turn.last, limit: turn.last - at })
  return own.every(({ message, isClosing }) => message.role === 'user' || isClosing)
}

/**
 * What a user may see of the first entry of a branch, in a line; undefined if it is not there or not for users. `leftHead`: where
 * the branch that it leaves ends.
 */
async function beginningOf(thread: Thread, at: number, leftHead = 0) {
  const [entry] = await thread.entries({ at, limit: 1 })
  const [shown] = await thread.display({ at, limit: 1 })
  if (entry?.seq !== at || shown?.seq !== at) return undefined
  const { turn, time, repeats } = entry
  const isAgain = shown.role !== 'user' || repeats !== undefined
  const how: 'again' | 'reworded' | 'on' = isAgain ? 'again' : leftHead >= at ? 'reworded' : 'on'
  return { turn, time, text: cut(readMessage(shown, at).text, 100), how }
}

function toLogged(entry: LoggedMessage, tokens: number | undefined) {
  const {
    id,
    seq,
    turn,
    time,
    message,
    isClosing,
    isBroken,
    isError,
    isErased,
    hands,
    data,
    calibration,
  } = entry
  const view = entry.view === message ? undefined : entry.view
  return {
    id,
    seq,
    turn,
    time,
    message,
    isClosing,
    isBroken: isBroken || undefined,
    tokens,
    view,
    isError,
    isErased,
    hands,
    data,
    calibration,
  }
}

/** The names of the tools that an entry calls. Only entries that have calls are read. */
function callsIn({ role, payload, seq }: StoredEntry): string[] | undefined {
  if (role !== 'assistant' || !payload.includes('call')) return undefined
  const message = parseJsonObject(payload)?.message
  // A broken entry is told by the routes that show it.
  if (!isObject(message)) return undefined
  const { calls } = readMessage(message, seq)
  return calls.length > 0 ? calls.map(({ name }) => name) : undefined
}
