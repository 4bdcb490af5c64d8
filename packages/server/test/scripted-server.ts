import { upstreamWith } from '@throughline/models/fixtures'
import type { UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'

/** A server before an Ollama that answers each chat as the function says. */
export async function startScripted(
  answer: () => UpstreamAnswer,
  options: Parameters<typeof startServer>[0] = {},
) {
  const scripted = await upstreamWith(({ path }) =>
    path === '/api/chat' ? answer() : { status: 200, body: { models: [] } },
  )
  const upstream = ollamaUpstream({ url: scripted.url, window: 4096 })
  const server = await startServer({ upstream, ...options })
  /** What was said in each thread of the log, and how its turns ended. */
  async function lines() {
    const found: unknown[] = []
    for (const { conversation, threads } of await server.history.conversations())
      for (const { branch } of threads) {
        const thread = server.history.thread(conversation, { branch })
        const said = (await thread.display()).map(({ content }) => content)
        found.push({ said, turns: (await thread.turns()).map(({ status }) => status) })
      }
    return found
  }
  return { ...server, scripted, lines }
}
