import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { librechat } from './librechat.ts'
import { messageList, messageLists } from './message-list.ts'
import { openWebui } from './open-webui.ts'
import { sillyTavern } from './silly-tavern.ts'
import type { Format } from './source.ts'

/** The first that matches is taken: those with rarer fields come first. */
export const formats: readonly Format[] = [
  chatgpt,
  claude,
  librechat,
  openWebui,
  claudeCode,
  codex,
  sillyTavern,
  messageList,
  messageLists,
]

export const detect = (first: unknown): Format | undefined => formats.find(format => format.matches(first))
