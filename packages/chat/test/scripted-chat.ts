import { ollama } from '@throughline/models'
import { newHistory } from '@throughline/test-tools/chat-help'
import {
  ollamaAnswer,
  startUpstream,
  type UpstreamScript,
} from '@throughline/test-tools/scripted-upstream'
import { onTestFinished } from 'vitest'
import { type ChatOptions, type ChatPart, createChat } from '../src/index.ts'

export interface SentBody {
  readonly messages: readonly {
    readonly role: string
    readonly content: string
    readonly tool_call_id?: string
    readonly tool_calls?: readonly {
      readonly id: string
      readonly function: { readonly arguments: Readonly<Record<string, unknown>> }
    }[]
  }[]
}

/** A chat whose model does as the script says, through the ollama client; when the script is over it says `Done.` It ends with its test. */
export async function scriptedChat(script: UpstreamScript, options: Partial<ChatOptions> = {}) {
  const upstream = await startUpstream(
    (request, at) =>
      (typeof script === 'function' ? script(request, at) : script[at]) ?? saying('Done.'),
  )
  onTestFinished(() => upstream.close())
  const history = options.history ?? newHistory()
  const model = ollama({ model: 'scripted', host: upstream.url, window: 4096 })
  return {
    upstream,
    chat: createChat({ history, model, ...options }),
    thread: history.thread('chat'),
    sent: () => upstream.requests.map(({ body }) => body as SentBody),
  }
}

export const saying = (content: string) => ollamaAnswer([{ content }])

export const calling = (...calls: readonly [name: string, input?: unknown][]) =>
  ollamaAnswer([
    {
      tool_calls: calls.map(([name, input = {}], at) => ({
        id: `c${at + 1}`,
        function: { name, arguments: input },
      })),
    },
  ])

export const resultsIn = (parts: readonly ChatPart[]): readonly string[] =>
  parts.flatMap(part => (part.type === 'tool-result' ? [part.text] : []))
