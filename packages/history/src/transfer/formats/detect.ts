import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import { claudeCode } from './claude-code.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { continueDev } from './continue.ts'
import { librechat } from './librechat.ts'
import { messageList, messageLists } from './message-list.ts'
import { openWebui } from './open-webui.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwenCode } from './qwen-code.ts'
import { sillyTavern } from './silly-tavern.ts'
import { type Format, has } from './source.ts'

/** The first that matches is taken: those with rarer fields come first. */
export const formats: readonly Format[] = [
  chatgpt,
  claude,
  librechat,
  openWebui,
  qwenCode,
  claudeCode,
  codex,
  pi,
  continueDev,
  opencode,
  sillyTavern,
  cline,
  messageList,
  messageLists,
]

/** Files of programs that are known and cannot be read, and which of theirs can. */
const refused: readonly (readonly [matches: (first: unknown) => boolean, advice: string])[] = [
  [
    first => has(first, 'ts', 'type') && (has(first, 'say') || has(first, 'ask')),
    'it is what Cline shows of a task (ui_messages.json): import api_conversation_history.json, which stands beside it.',
  ],
  [
    first =>
      has(first, 'id', 'sessionID', 'messageID') || has(first, 'id', 'projectID', 'directory'),
    'it is one piece of a session of opencode: import what "opencode export <session>" writes.',
  ],
  [
    first => has(first, 'sessionId', 'workspaceDirectory') && !has(first, 'history'),
    'it is the list of the sessions of Continue: import the file of a session, which stands beside it.',
  ],
]

/** Why a file cannot be read although its program is known. */
export const whyRefused = (first: unknown): string | undefined =>
  refused.find(([matches]) => matches(first))?.[1]

export const detect = (first: unknown): Format | undefined =>
  formats.find(format => format.matches(first))
