import { createHistory } from '@throughline/history'
import type { ServedInspector } from './open-inspector.ts'

export const longName =
  'support-48213-customer-cannot-sign-in-after-the-migration-to-the-new-identity-provider'

/** Conversations of many kinds, as clients, experiments and faults make them. */
export async function fillList({ url, ask, store }: ServedInspector): Promise<void> {
  const history = createHistory({ store })
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
    return response
  }
  const user = (content: string) => ({ role: 'user', content })
  await ask('POST', '/samples/experiment')

  const lamp = await history.thread('The lamp').begin(user('Turn the lamp to 40 percent.'))
  if (lamp.kind === 'begun') await lamp.turn.leave()

  const support = history.thread(longName)
  const asked = await support.begin(user('I cannot sign in any more.'))
  const cut = await support.startCall(await support.context({ window: 8192 }), {
    model: 'llama3.2',
  })
  await cut.end({ status: 'completed', reported: 7, warnings: ['prompt_truncated'] })
  if (asked.kind === 'begun')
    await asked.turn.complete({ role: 'assistant', content: 'Which browser?' })

  const broken = history.thread('Site editor')
  const begun = await broken.begin(user('Make the header stick, and keep the menu in one line.'))
  const failed = await broken.startCall(await broken.context(), { model: 'qwen3:8b' })
  await failed.end({ status: 'failed', error: 'model_unavailable' })
  if (begun.kind === 'begun') await begun.turn.fail('model_unavailable')

  await post(
    '/api/chat',
    {
      model: 'reader',
      stream: false,
      messages: [user('格子番号は忘れないでください。県の記録係に送ります。')],
    },
    { 'x-openwebui-chat-id': '7d0c', 'user-agent': 'Python/3.12 aiohttp/3.11' },
  )
  await ask('PATCH', '/conversations/open-webui%3A7d0c', {
    title: '両生類の移動調査 2026年春、東京都西部の谷戸（夜間班）',
  })
  await post(
    '/v1/responses',
    { model: 'reader', input: 'Which berth did I ask for, for the Heron? It was number 14.' },
    { 'thread-id': '9cb20e46-33c5-42e2-acdf-b9e2e5bb460e', 'user-agent': 'codex_cli_rs/0.162.1' },
  )
  await post(
    '/v1/messages',
    { model: 'reader', max_tokens: 200, messages: [user('متى تزهر أشجار اللوز؟ في شهر شباط.')] },
    { 'x-claude-code-session-id': 'a1b2', 'user-agent': 'claude-cli/3.0.1 (external, cli)' },
  )
  await ask('PATCH', '/conversations/claude-code%3Aa1b2', { title: 'حديقة اللوز في الربيع' })
  await post(
    '/v1/chat/completions',
    { model: 'reader', messages: [user('My locker code is 4471.')] },
    { 'user-agent': 'curl/8.5.0' },
  )
  // With a client of its own, so that the list has one that goes on.
  const boat = user('The boat is called Seagull.')
  const agent = { 'user-agent': 'Zed/1.2 (linux)' }
  const first = await post('/v1/chat/completions', { model: 'reader', messages: [boat] }, agent)
  const { choices } = (await first.json()) as { choices: [{ message: object }] }
  const next = user('What is the boat called?')
  await post(
    '/v1/chat/completions',
    { model: 'reader', messages: [boat, choices[0].message, next] },
    agent,
  )
  // A reply to the project chat: its window is full of what was brought back.
  const question = user(
    'Last thing before I shut the lid: write the note I’ll leave on the desk, with the battery’s voltage at the pond.',
  )
  await (await ask('POST', '/conversations/toad-patrol/send', { input: question.content })).text()
  await history.thread('Harbour master').begin(user('Which berth is free on Friday?'))
}
