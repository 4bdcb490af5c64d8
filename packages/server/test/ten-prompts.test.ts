import { anthropicEvents } from '@throughline/models/fixtures'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anthropicUpstream, ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'

/** Times, dates and rules, as programs and people write them. */
const prompts = [
  'Today 17:00 is the deadline; refuse all requests after it.',
  "You are a coding agent.\nToday's date: Wed Nov 18 2026\nNever push to main.",
  'Current time is 20:37:19. Today is 2026-11-18.\nYou are a voice assistant.\nAnswer in plain text.',
  'You keep a calendar.\n\nDate: 2026-11-18\n\nMeetings:\n- 09:00 stand-up\n- 14:30 review\n\nAdd none before 09:00.',
  'Heute ist Mittwoch, der 18. November 2026, 12:03 Uhr.\nNach 18 Uhr wird nichts mehr bestellt.',
  '<env>\n  Working directory: /srv/site\n  Is directory a git repo: Yes\n  Today: 11/18/2026\n</env>\nAsk before you delete.',
  '現在の日時: 2026年11月18日 21時32分\n22時以降は注文を受けないでください。',
  'It is now 12:03 on Wednesday.\r\nThe kitchen closes at 22:00: take no order after 21:45.\r\n',
  '{\n  "now": "2026-11-18T12:03:00Z",\n  "rule": "Refuse refunds 30 days after the purchase."\n}',
  '  Timestamp: 1763467380\n\n\nKnowledge cutoff: 2025-06. Say so when you are asked about later events.  ',
]

interface Ask {
  readonly path: string
  readonly body: (system: string, texts: readonly string[]) => object
}

/** The user's messages, with an answer between two of them. */
const said = (texts: readonly string[]) =>
  texts.flatMap((content, at) => [
    ...(at > 0 ? [{ role: 'assistant', content: 'Yes.' }] : []),
    { role: 'user', content },
  ])

const adapters: Readonly<Record<string, Ask>> = {
  openai: {
    path: '/v1/chat/completions',
    body: (content, texts) => ({
      model: 'm',
      messages: [{ role: 'system', content }, ...said(texts)],
      stream: true,
      stream_options: { include_usage: true },
    }),
  },
  ollama: {
    path: '/api/chat',
    body: (content, texts) => ({
      model: 'm',
      messages: [{ role: 'system', content }, ...said(texts)],
    }),
  },
  anthropic: {
    path: '/v1/messages',
    body: (system, texts) => ({
      model: 'm',
      max_tokens: 99,
      system,
      messages: said(texts),
      stream: true,
    }),
  },
}

interface Sent {
  readonly system?: string | readonly { readonly text: string }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

const leading = ({ messages }: Sent) =>
  messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))

const window = 8192
const upstreams = {
  openai: {
    open: (url: string) => openaiUpstream({ url, window }),
    answer: openaiAnswer([{ content: 'Yes.' }]),
    systemIn: leading,
  },
  ollama: {
    open: (url: string) => ollamaUpstream({ url, window }),
    answer: ollamaAnswer([{ content: 'Yes.' }]),
    systemIn: leading,
  },
  anthropic: {
    open: (url: string) => anthropicUpstream({ url, window, apiKey: 'key' }),
    answer: { chunks: anthropicEvents([{ type: 'text', text: 'Yes.' }]) } as UpstreamAnswer,
    // Where the client is of another form, the prompt gets a mark for the cache.
    systemIn: ({ system }: Sent) =>
      Array.isArray(system) ? system.map(({ text }) => text) : [system],
  },
} as const

describe.each(Object.entries(upstreams))(
  'an upstream of the form %s',
  (upstreamName, { open, answer, systemIn }) => {
    it.each(Object.entries(adapters))(
      'gets ten system prompts of %s as they came, in their role',
      async (name, adapter) => {
        const model = await startUpstream(request =>
          request.path === adapter.path || isChat(request.path) ? answer : { status: 404 },
        )
        onTestFinished(() => model.close())
        // Also where changing lines are moved unless a prompt stands still.
        const server = await startServer({ upstream: open(model.url), window, steadyPrompt: 'on' })
        for (const [at, prompt] of prompts.entries())
          for (const texts of [[`Question ${at}`], [`Question ${at}`, 'And then?']]) {
            const bytes = JSON.stringify(adapter.body(prompt, texts))
            const response = await fetch(`${server.url}${adapter.path}`, {
              method: 'POST',
              body: bytes,
            })
            expect(response.status).toBe(200)
            await response.text()
            const { body, text } = model.requests.filter(({ path }) => isChat(path)).at(-1)!
            const sent = body as Sent
            expect(systemIn(sent)).toEqual([prompt])
            expect(sent.messages.filter(({ role }) => role === 'user')).toHaveLength(texts.length)
            // Ollama is always told the window, and not to cut in silence.
            if (name === upstreamName && name !== 'ollama') expect(text).toBe(bytes)
            if (name === upstreamName) expect(sent).toMatchObject(JSON.parse(bytes))
          }
      },
    )
  },
)

const isChat = (path: string) => Object.values(adapters).some(adapter => adapter.path === path)
