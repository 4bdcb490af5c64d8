import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BadRequestError } from '@throughline/core/errors'
import { present } from '@throughline/core/values'
import { toQuery } from '@throughline/history/search'
import { countAsUse } from '@throughline/history/threads'
import type { TextPieces } from '@throughline/history/transfer'
import { CorruptEntryError } from '@throughline/stores/errors'
import type { ConversationInfo } from '@throughline/stores/store'
import { placesOf } from '@throughline/stores/words'
import { z } from 'zod'
import { openImportFile } from '../archive/import-file.ts'
import { checkNamed } from '../auth/named-person.ts'
import { notFound } from '../auth/refusals.ts'
import { logOfSpeaker } from '../exchange/inquiry.ts'
import { markImported } from '../exchange/mark-imported.ts'
import { unpackedBody } from '../routes/read-body.ts'
import { latest, readLatest } from './latest.ts'
import { listConversations, listFields, withProvisional } from './list-conversations.ts'
import { type ApiCall, defineRoute, findConversation } from './route.ts'
import { conversation, count, limitOf, name, place, time } from './schemas.ts'

const dryRun = z.boolean().optional().describe('only tells what would be deleted')

const shownConversation = conversation.extend({ latest: latest.optional() })

/** Conversations as wholes: listed, described, searched, deleted, exported, imported. */
export const conversationRoutes = [
  defineRoute('get', '/conversations', {
    scope: 'read',
    summary: 'Lists conversations, last written to first.',
    query: {
      ...listFields,
      latest: z
        .boolean()
        .optional()
        .describe('whether each says where it stands: status, last message, last call'),
    },
    answer: z.object({
      conversations: z.array(shownConversation),
      next: z.string().optional().describe('`after` of the next page; absent on the last one'),
    }),
    async handle(call) {
      const { conversations, ...page } = await listConversations(call, call.query)
      if (!call.query.latest) return { conversations, ...page }
      return {
        conversations: await Promise.all(conversations.map(one => withLatest(call, one))),
        ...page,
      }
    },
  }),
  defineRoute('get', '/conversations/:conversation', {
    scope: 'read',
    summary: 'Shows one conversation, and where it stands.',
    answer: shownConversation,
    handle: async call => withLatest(call, await showConversation(call, call.params.conversation)),
  }),
  defineRoute('patch', '/conversations/:conversation', {
    scope: 'chat',
    summary: 'Sets the title and the metadata; null removes one.',
    body: {
      title: z.string().max(10_000).nullable().optional(),
      metadata: z.json().optional(),
    },
    answer: conversation,
    async handle(call) {
      const { conversation } = call.params
      await findConversation(call.looking, conversation)
      await call.log.history.describe(conversation, present(call.body))
      return showConversation(call, conversation)
    },
  }),
  defineRoute('delete', '/conversations/:conversation', {
    scope: 'admin',
    summary: 'Deletes a conversation whole. Its name is never free again.',
    query: { dryRun },
    kind: 'none',
    async handle({ params, query, log }) {
      if (!(await log.history.delete(params.conversation, query)))
        throw notFound('conversation', params.conversation)
      return undefined
    },
  }),
  defineRoute('delete', '/conversations', {
    scope: 'admin',
    summary:
      'Deletes all conversations of the tenant, those of a person, or those with threads of an actor.',
    query: {
      person: name.optional().describe('whose conversations'),
      actor: name.optional().describe('in which this actor has a thread'),
      all: z.boolean().optional().describe('every conversation'),
      dryRun,
    },
    answer: z.object({ deleted: z.array(name) }),
    async handle({ query: { all, dryRun, ...whose }, log }) {
      const ways = Object.values(present(whose)).length + (all === true ? 1 : 0)
      if (ways !== 1)
        throw new BadRequestError(
          'Say what to delete: ?person=NAME, ?actor=NAME, or ?all=true for every conversation.',
        )
      return { deleted: [...(await log.history.deleteAll({ ...whose, dryRun }))] }
    },
  }),
  defineRoute('post', '/retain', {
    scope: 'admin',
    summary:
      'Deletes what was not used for a time: conversations whole, or the records of calls alone.',
    body: {
      conversationsMs: z.int().min(0).optional().describe('conversations not used for this time'),
      callsMs: z
        .int()
        .min(0)
        .optional()
        .describe('records of calls older than this; the log itself stays'),
      dryRun,
    },
    answer: z.object({ deleted: z.array(name), calls: count }),
    async handle({ body, log }) {
      const { deleted, calls } = await log.history.retain(body)
      return { deleted: [...deleted], calls }
    },
  }),
  defineRoute('get', '/conversations/:conversation/export', {
    scope: 'inspect',
    summary: 'Exports a conversation as lines of JSON: lossless, so with notes.',
    kind: 'lines',
    async handle({ params, looking }) {
      await findConversation(looking, params.conversation)
      countAsUse(looking, params.conversation)
      return looking.export(params.conversation)
    },
  }),
  defineRoute('post', '/import', {
    scope: 'admin',
    summary:
      'Imports an export of ours, or the chats of another program, whichever it is. A damaged file stores nothing; the same again changes nothing, and goes on where a full disk stopped it.',
    query: {
      as: name.optional().describe('another name for the one conversation of the file'),
      person: name
        .optional()
        .describe('whose conversations they are; default: whose the file says, or the caller’s'),
      for: z
        .string()
        .max(200)
        .optional()
        .describe('the id of the key whose client goes on with them; default: that of the caller'),
    },
    body: 'file',
    answer: z.object({
      format: z.string().describe('whose form the file has: "Throughline", "ChatGPT" …'),
      conversations: z.array(name),
      deleted: z
        .array(name)
        .describe('conversations of the file that were deleted here, and stay so'),
      entries: count,
      added: count.describe('how many of the entries were not here before'),
      calls: count,
    }),
    async handle({ query, request, log, caller, parts: { about, maxBodyBytes } }) {
      const { as, person, for: keyId } = query
      if (person !== undefined) checkNamed(person)
      const { history } = logOfSpeaker(log, about.person)
      const imported = await withSpooled(request, 32 * maxBodyBytes, text =>
        history.import(text, { maxValueCharacters: maxBodyBytes, as, person }),
      )
      for (const conversation of imported.conversations)
        await markImported(log, conversation, keyId ?? caller.keyId)
      return imported
    },
  }),
  defineRoute('get', '/search', {
    scope: 'read',
    summary: 'Finds messages with words of the query, the best first.',
    query: {
      q: z.string().min(1).max(1000),
      scope: z
        .enum(['shown', 'everything'])
        .optional()
        .describe('default "shown", as users see it; "everything" has notes, and needs inspect'),
      limit: limitOf(20, 200),
      conversation: name.optional().describe('only messages of this conversation'),
    },
    answer: z.object({
      found: z.array(
        z.object({
          conversation: name,
          actor: name,
          branch: name,
          seq: place,
          role: z.string(),
          time,
          snippet: z.string(),
          hits: z
            .array(z.tuple([count, count]))
            .describe('where the words stand in the snippet: from one UTF-16 unit up to another'),
        }),
      ),
    }),
    async handle({ query: { q, scope = 'shown', ...where }, has, looking }) {
      if (scope === 'everything' && !has('inspect'))
        throw new BadRequestError(
          'scope: "everything" needs a key with the scope "inspect".',
          'scope',
        )
      const matches = await looking.search(q, { scope, ...where })
      // Other forms of the same words are marked too: "turtles" for "turtle".
      const wanted = toQuery(q).flat()
      return {
        found: matches.map(
          ({ thread: { conversation, actor, branch }, seq, role, time, snippet }) => ({
            conversation,
            actor,
            branch,
            seq,
            role,
            time,
            snippet,
            hits: placesOf(snippet, wanted),
          }),
        ),
      }
    },
  }),
]

async function showConversation(call: ApiCall, conversation: string) {
  const [shown] = await withProvisional(call, [await findConversation(call.looking, conversation)])
  return shown!
}

/** A conversation that cannot be read does not keep others from being listed. */
async function withLatest<Info extends ConversationInfo>(call: ApiCall, info: Info) {
  const latest = await readLatest(call, info).catch(error => {
    if (error instanceof CorruptEntryError) return undefined
    throw error
  })
  return { ...info, latest }
}

/** Keeps an unpacked body in a file while it is used, so that its text can be read again. Refuses more than `most` bytes. */
async function withSpooled<T>(
  request: Request,
  most: number,
  use: (text: () => TextPieces) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-import-'))
  try {
    const file = join(folder, 'body')
    await pipeline(
      unpackedBody(request, most),
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    )
    return await use(await openImportFile(file, most))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
