import { showValue, ThroughlineError } from '@throughline/core/errors'
import { z } from 'zod'
import {
  accountLines,
  accountOfCall,
  accountOfPlace,
  describeCall,
  verdictOn,
} from './context-account.ts'
import { defineMcpTool, pageField, placeField, threadFields, toPage } from './define-mcp-tool.ts'
import { findThread } from './find-thread.ts'

const whenLast =
  'instead of a call: what a model would be sent when the message at this place was the last'

/** What a model was sent in a call, or would be sent at a place: fates, reasons, tokens, and the text itself. */
export const explainContext = defineMcpTool(
  'explain_context',
  'Explains what a model was sent of a conversation: what was kept, left out or brought back, why, and the tokens; then the text that was sent. By default for the newest model call.',
  {
    ...threadFields,
    call: z
      .string()
      .max(200)
      .optional()
      .describe('the id of a model call; they are listed at the end'),
    at: placeField.describe(whenLast),
    window: z.int().min(64).max(10_000_000).optional().describe('with at: the window in tokens'),
    place: placeField.describe('only what became of the message at this place, and why'),
    page: pageField,
  },
  async (history, query) => {
    const { call: id, at, window, place, page } = query
    const { thread, head } = await findThread(history, query)
    const calls = at === undefined ? await thread.calls({ limit: mostCalls }) : []
    const call = id === undefined ? calls[0] : calls.find(one => one.id === id)
    if (id !== undefined && !call) {
      const problem = `There is no call ${showValue(id)} among the newest ${mostCalls}.`
      throw new ThroughlineError('no_call', problem)
    }
    const account = call ? accountOfCall(call) : await accountOfPlace(thread, at, window)
    if (place !== undefined) return `${account.title}\n\n${verdictOn(account, place, at ?? head)}`
    const text = call ? await thread.dump(call) : account.text!
    const others = calls.slice(0, 10).map(one => `- ${describeCall(one)}`)
    const lines = [
      account.title,
      account.totals,
      '',
      'What became of the messages, by their places:',
      ...accountLines(account),
      '',
      text,
      ...(others.length > 1 ? ['The newest calls:', ...others] : []),
    ]
    return toPage(lines.join('\n'), page)
  },
)

/** How many calls of a thread can be asked for. */
const mostCalls = 1000
