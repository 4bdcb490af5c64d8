import { isObject, parseJson } from '@throughline/core/values'
import { mainBranch } from '@throughline/history/log'
import type { ReplyCall } from '@throughline/models/model'
import type { ThreadKey } from '@throughline/stores/store'
import { isUser } from '../identity/agreement.ts'
import { hashOfText } from '../identity/chain.ts'
import { clientMessage } from '../identity/client-message.ts'
import { comparedOf, type ListItem } from '../identity/item.ts'
import { markKinds } from '../identity/mark-kinds.ts'
import type { Inquiry, Log } from './inquiry.ts'

/** The marks of calls that may start a subagent: one that does not say who started it begins with the task of the call. */
export function agentMarks(keyId: string, calls: readonly ReplyCall[]): readonly string[] {
  return calls.flatMap(({ arguments: json }) => {
    const input = parseJson(json)
    if (!isObject(input)) return []
    const tasks = taskNames.map(name => input[name]).filter(text => typeof text === 'string')
    // As the message of a user is compared.
    const texts = tasks.map(
      content => comparedOf(clientMessage({ role: 'user', content }, 0))?.text ?? '',
    )
    return texts.filter(isLong).map(text => markOf(keyId, text))
  })
}

/** The thread of a subagent: an actor in the conversation whose open turn waits for it. Undefined for any other list. */
export async function agentThread({ log, keyId, newId }: Inquiry, items: readonly ListItem[]) {
  const [first, ...others] = items
  if (!first || !isUser(first) || others.length > 0 || !isLong(first.text)) return undefined
  const { tenant, store } = log
  for (const { thread, at } of await store.findMarks(tenant, [markOf(keyId, first.text)]))
    if (await isWaiting(log, thread, at)) {
      const { conversation } = thread
      return { tenant, conversation, actor: `agent:${newId()}`, branch: mainBranch }
    }
  return undefined
}

/** Whether the turn of a reply with calls is still open: its agents are at work. */
async function isWaiting({ store }: Log, thread: ThreadKey, at: number): Promise<boolean> {
  const head = await store.head(thread)
  return head?.open !== undefined && head.open.first <= at && head.head === at
}

const taskNames = ['prompt', 'message', 'task']

/** Shorter texts are not worth a mark, and may be the same by chance. */
const isLong = (text: string) => text.length >= 'user:'.length + 20

const markOf = (keyId: string, text: string) =>
  markKinds.agent + hashOfText(`${keyId.length}:${keyId}${text}`)
