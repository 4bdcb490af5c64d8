import { BadRequestError } from '@throughline/core/errors'
import type { History } from '@throughline/history'
import type { Model } from '@throughline/models/model'
import { type ApiCall, defineRoute } from '@throughline/server/api/route'
import { name } from '@throughline/server/api/schemas'
import { notFound } from '@throughline/server/auth/refusals'
import { logOfSpeaker } from '@throughline/server/exchange/inquiry'
import { z } from 'zod'
import { type Application, applicationState, type OpenApplication } from './application.ts'

const application = z.object({
  name,
  title: z.string(),
  about: z.string(),
  problem: z.string(),
  conversation: name.describe('its newest conversation, or the one that its first message begins'),
})

/** What answers: a model of the upstream, or the rules of the application. */
const rules = 'rules'

const modelField = name
  .optional()
  .describe(
    '`rules`, or a model of the upstream; default: its first one, and rules where only the reader is',
  )

const texts = { text: z.string().trim().min(1).max(2000), model: modelField }

/** The routes of the gallery. All that an application keeps is a conversation of the caller. */
export const galleryRoutes = (applications: readonly Application[]) => {
  const find = (wanted: string): Application => {
    const found = applications.find(one => one.name === wanted)
    if (!found) throw notFound('application', wanted)
    return found
  }

  async function open(
    call: ApiCall<{ readonly application: string; readonly conversation: string }>,
    model: string | undefined,
  ): Promise<{ readonly opened: OpenApplication; readonly model: string }> {
    const { application, conversation } = call.params
    const found = find(application)
    const { history } = logOfSpeaker(call.log, call.parts.about.person)
    // No other conversation of the log is ever read or written as an application.
    if (numberOf(conversation, found) === 0) throw notFound('conversation', conversation)
    const { open } = await found.code()
    const chosen = await chooseModel(call, model)
    return {
      opened: open({ history, conversation, model: chosen?.model }),
      model: chosen?.name ?? rules,
    }
  }

  return [
    defineRoute('get', '/gallery', {
      scope: 'inspect',
      summary: 'Lists the applications that can be tried here, each with its newest conversation.',
      answer: z.object({ applications: z.array(application) }),
      async handle({ looking }) {
        const list = applications.map(async ({ code: _, ...one }) => ({
          ...one,
          conversation: nameOf(one, Math.max(1, await newestNumber(looking, one))),
        }))
        return { applications: await Promise.all(list) }
      },
    }),
    defineRoute('post', '/gallery/:application/begin', {
      scope: 'chat',
      summary: 'Gives the name of a new conversation of an application. Nothing is written yet.',
      answer: z.object({ conversation: name }),
      async handle(call) {
        const found = find(call.params.application)
        return { conversation: nameOf(found, (await newestNumber(call.looking, found)) + 1) }
      },
    }),
    defineRoute('get', '/gallery/:application/:conversation', {
      scope: 'inspect',
      summary:
        'Shows where an application stands: what was said, what works now, and a drawing as data.',
      query: { model: modelField },
      answer: applicationState.extend({ model: z.string() }),
      async handle(call) {
        const { opened, model } = await open(call, call.query.model)
        return { ...(await opened.state()), model }
      },
    }),
    defineRoute('post', '/gallery/:application/:conversation/say', {
      scope: 'chat',
      summary: 'Answers a text. Closing the connection cancels the turn.',
      body: texts,
      kind: 'lines',
      answer: z.discriminatedUnion('type', [
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('problem'), message: z.string() }),
        z.object({ type: z.literal('end') }),
      ]),
      async handle(call) {
        const { text, model } = call.body
        const { opened } = await open(call, model)
        const { parts, requestId, signal } = call
        const run = parts.runner.open({ requestId, adapter: 'gallery' })
        run.enter(signal)
        // Also if the lines are never read.
        signal.addEventListener('abort', run.over, { once: true })
        return lines(opened.say(text, run.signal), run.over)
      },
    }),
  ]
}

async function* lines(parts: ReturnType<OpenApplication['say']>, over: () => void) {
  try {
    yield* parts
    yield { type: 'end' as const }
  } finally {
    over()
  }
}

/** The model that was asked for; undefined for the rules of the application. */
async function chooseModel(
  { parts: { upstreams } }: ApiCall,
  wanted: string | undefined,
): Promise<{ readonly name: string; readonly model: Model } | undefined> {
  if (wanted === rules) return undefined
  // The reader only quotes, and calls no tools: rules do better.
  const isReader = upstreams.all.every(({ upstream }) => upstream.kind === 'reader')
  if (isReader) {
    if (wanted === undefined) return undefined
    throw new BadRequestError(
      'model: only rules answer here, as the server has no language model.',
      'model',
    )
  }
  const name = wanted ?? (await upstreams.models().catch(() => []))[0]?.name
  return name === undefined ? undefined : { name, model: upstreams.model(name) }
}

const nameOf = ({ name }: Pick<Application, 'name'>, number: number) =>
  number === 1 ? `try-${name}` : `try-${name}-${number}`

/** The number of a conversation of an application, from 1; 0 for every other one. */
function numberOf(conversation: string, application: Pick<Application, 'name'>): number {
  const [first] = [nameOf(application, 1)]
  if (conversation === first) return 1
  const number = conversation.startsWith(`${first}-`) ? conversation.slice(first.length + 1) : ''
  return /^[1-9]\d{0,5}$/.test(number) && number !== '1' ? Number(number) : 0
}

/** More conversations than these are not looked through: one that was used long ago is then begun again. */
const mostListed = 1000

async function newestNumber(
  history: History,
  application: Pick<Application, 'name'>,
): Promise<number> {
  const all = await history.conversations({ limit: mostListed })
  return all.reduce(
    (most, { conversation }) => Math.max(most, numberOf(conversation, application)),
    0,
  )
}
