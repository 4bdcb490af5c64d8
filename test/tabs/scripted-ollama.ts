import { ollamaAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { onTestFinished } from 'vitest'

/** An Ollama that says `Answer 1.`, `Answer 2.` and so on. `prompts` are the texts of the messages that it was asked with. */
export async function startScriptedOllama() {
  const prompts: (readonly string[])[] = []
  const upstream = await startUpstream(({ path, body }) => {
    if (path === '/api/tags') return { status: 200, body: { models: [{ name: 'scripted' }] } }
    if (path !== '/api/chat')
      return { status: 200, body: { model_info: { 'llama.context_length': 4096 }, models: [] } }
    const { messages } = body as { messages: readonly { role: string; content: string }[] }
    prompts.push(messages.filter(({ role }) => role !== 'system').map(({ content }) => content))
    return ollamaAnswer([{ content: `Answer ${prompts.length}.` }])
  })
  onTestFinished(() => upstream.close())
  return { url: upstream.url, prompts }
}
