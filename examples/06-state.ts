/**
 * Tools that find what earlier tools produced in the conversation itself: no state on the server, no database.
 *
 * `npm run example 06-state`
 */
import type { MessageLike } from 'throughline'
import { appendToConversation, requireState, runWithContext } from 'throughline/request'
import { defineState, type StandardSchema } from 'throughline/state'

interface Hypothesis {
  readonly title: string
  readonly url: string
}
const schema: StandardSchema<Hypothesis> = {
  '~standard': {
    version: 1,
    vendor: 'example',
    validate: value =>
      typeof (value as Hypothesis | null)?.title === 'string'
        ? { value: value as Hypothesis }
        : { issues: [{ message: 'expected a title' }] },
  },
}
const hypothesis = defineState({ name: 'hypothesis', tool: 'generate_hypotheses', schema })

const createExperiment = () => `Experiment on "${requireState(hypothesis).title}"`

/** A request brings the whole conversation; any instance can answer it. */
function handle(conversation: readonly MessageLike[], ...results: MessageLike[]): string {
  return runWithContext({ conversation, projectId: 'p1' }, () => {
    appendToConversation(...results)
    try {
      return createExperiment()
    } catch (error) {
      return (error as Error).message
    }
  })
}

const call = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c1', function: { name: 'generate_hypotheses', arguments: {} } }],
}
const result = {
  role: 'tool',
  tool_call_id: 'c1',
  content: '{"title":"Larger button","url":"https://example.org"}',
}

console.log(handle([{ role: 'user', content: 'Create it.' }]))
console.log(handle([call, result, { role: 'user', content: 'Create it.' }]))
console.log(handle([{ role: 'user', content: 'Both at once.' }], call, result))
