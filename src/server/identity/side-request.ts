import { readMessage } from '../../log/parse-message.ts'
import type { ChatRequest } from '../faces/face.ts'
import type { HeadersOf } from './known-client.ts'

/**
 * Why a request is no part of the conversation but asks for something beside it: a title, tags, questions to go on with, a
 * summary. Undefined for an ordinary request. Only what clients are known to send is taken for one, and never a request
 * with tools.
 */
export function sideRequest(request: ChatRequest, headers: HeadersOf): string | undefined {
  for (const name of taskHeaders) {
    const value = headers[name]
    if (value !== undefined && value.trim() !== '') return `the header ${name} says "${value.slice(0, 60)}"`
  }
  const turn = headers['x-codex-turn-metadata']
  if (turn !== undefined && /"request_kind"\s*:\s*"(compaction|title)/.test(turn.slice(0, 10_000)))
    return 'x-codex-turn-metadata names its kind'
  if (request.tools.length > 0) return undefined
  const first = request.messages[0]
  const last = request.messages.at(-1)
  if (!first || !last) return undefined
  const begins = [request.system ?? '', readMessage(first, 0).text, readMessage(last, 0).text].map(text =>
    text.slice(0, 400).trimStart(),
  )
  const [system = '', opening = '', closing = ''] = begins
  const isAlone = request.messages.length === 1
  for (const { where, words, client } of wordings) {
    const text = where === 'system' ? system : where === 'first' ? opening : closing
    if (where === 'alone' && !isAlone) continue
    if (words.some(word => text.startsWith(word))) return `it is worded like a task of ${client}`
  }
  return undefined
}

const taskHeaders = ['x-openwebui-task', 'x-throughline-task']

/** How side requests begin. `last` ends a whole history, so it extends the conversation. */
const wordings: readonly {
  readonly where: 'system' | 'first' | 'last' | 'alone'
  readonly words: readonly string[]
  readonly client: string
}[] = [
  { where: 'alone', words: ['### Task:'], client: 'Open WebUI' },
  { where: 'system', words: ['You are a title generator'], client: 'opencode' },
  { where: 'first', words: ['Generate a title for this conversation:'], client: 'opencode' },
  {
    where: 'last',
    words: [
      'Generate a concise 3-7 word title for this conversation',
      'Generate a detailed summary of this conversation',
    ],
    client: 'Zed',
  },
  { where: 'last', words: ['You are performing a CONTEXT CHECKPOINT COMPACTION'], client: 'Codex' },
  { where: 'alone', words: ['---BEGIN USER MESSAGES---'], client: 'Goose' },
  { where: 'last', words: ['Given the following... please reply with a title'], client: 'Continue' },
]
