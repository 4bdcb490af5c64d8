import { readMessage } from '../../log/parse-message.ts'
import type { ChatRequest } from '../adapters/adapter.ts'
import type { HeadersOf } from './known-client.ts'

/** Why a request is for something beside the conversation, as known clients ask for titles and summaries. Else undefined. */
export function sideRequest(request: ChatRequest, headers: HeadersOf): string | undefined {
  for (const name of taskHeaders) {
    const value = headers[name]
    if (value !== undefined && value.trim() !== '') return `the header ${name} says "${value.slice(0, 60)}"`
  }
  const turn = headers['x-codex-turn-metadata']
  if (turn !== undefined && /"request_kind"\s*:\s*"(compaction|title)/.test(turn.slice(0, 10_000)))
    return 'x-codex-turn-metadata names its kind'
  const first = request.messages[0]
  const last = request.messages.at(-1)
  if (!first || !last) return undefined
  const texts = {
    system: beginningsOf(request.system ?? ''),
    first: beginningsOf(readMessage(first, 0).text).slice(0, 1),
    last: beginningsOf(readMessage(last, 0).text).slice(0, 1),
  }
  for (const { where, words, client, isAlone = false, hasTools = false } of wordings) {
    if (isAlone && request.messages.length > 1) continue
    // A request with tools is an agent at work, except for the few that are known to be sent with them.
    if (!hasTools && request.tools.length > 0) continue
    if (words.some(word => texts[where].some(text => text.startsWith(word))))
      return `it is worded like a task of ${client}`
  }
  return undefined
}

const taskHeaders = ['x-openwebui-task', 'x-throughline-task']

/** The first paragraphs of a text. The blocks of a system prompt are paragraphs: some clients put their name before the task. */
const beginningsOf = (text: string): readonly string[] =>
  text
    .slice(0, 1000)
    .split('\n\n', 4)
    .map(part => part.trimStart())

/** How side requests begin. */
const wordings: readonly {
  /** `last` ends a whole history, so it extends the conversation. */
  readonly where: 'system' | 'first' | 'last'
  readonly words: readonly string[]
  readonly client: string
  readonly isAlone?: boolean
  /** Whether it comes with the tools of the conversation, or with some of its own. */
  readonly hasTools?: boolean
}[] = [
  { where: 'last', words: ['### Task:'], client: 'Open WebUI', isAlone: true },
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
  { where: 'last', words: ['---BEGIN USER MESSAGES---'], client: 'Goose', isAlone: true },
  { where: 'last', words: ['Given the following... please reply with a title'], client: 'Continue' },
  {
    where: 'system',
    words: ['Generate a concise, sentence-case title'],
    client: 'Claude Code',
    isAlone: true,
  },
  {
    where: 'last',
    words: [
      '[SUGGESTION MODE: Suggest what the user might naturally type next',
      'The user stepped away and is coming back. Recap in under 40 words',
      'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.',
    ],
    client: 'Claude Code',
    hasTools: true,
  },
  {
    where: 'system',
    words: ['You are now acting as the managed memory extraction subagent'],
    client: 'Qwen Code',
    hasTools: true,
  },
]
