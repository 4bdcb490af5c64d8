import { showValue, ThroughlineError } from '@throughline/core/errors'
import { few } from '@throughline/core/values'
import type { History } from '@throughline/history'
import { countAsUse } from '@throughline/history/threads'
import type { ConversationInfo } from '@throughline/stores/store'
import type { z } from 'zod'
import type { threadFields } from './define-mcp-tool.ts'

export async function findThread(
  history: History,
  {
    conversation,
    actor = 'assistant',
    branch = 'main',
  }: z.output<z.ZodObject<typeof threadFields>>,
) {
  const info = await findConversation(history, conversation)
  const match = info.threads.find(one => one.actor === actor && one.branch === branch)
  if (match) {
    countAsUse(history, conversation)
    return { thread: history.thread(conversation, { actor, branch }), head: match.head }
  }
  const lines = info.threads.map(
    one => `actor ${showValue(one.actor)} branch ${showValue(one.branch)}`,
  )
  const there = few(lines, 20)
  const problem = `The conversation has no branch ${showValue(branch)} of actor ${showValue(actor)}; it has ${there}.`
  throw new ThroughlineError('no_branch', problem)
}

export async function findConversation(
  history: History,
  conversation: string,
): Promise<ConversationInfo> {
  const [info] = await history.conversations({ only: conversation, limit: 1 })
  if (info) return info
  const problem = `There is no conversation ${showValue(conversation)}: list_conversations lists them, search_conversations finds them.`
  throw new ThroughlineError('no_conversation', problem)
}
