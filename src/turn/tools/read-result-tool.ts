import { isCount } from '../../log/is-count.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { ToolSpec } from '../../models/model.ts'
import type { StandardSchema } from '../../state/index.ts'
import { clippedView, readResultName } from '../log/clip-result.ts'
import type { TurnLog } from '../log/turn-log.ts'
import { defineTool, type Tool } from './tool.ts'

const parameters = {
  type: 'object',
  properties: { place: { type: 'integer' }, from: { type: 'integer', minimum: 0 } },
  required: ['place'],
}

/** The tool with which the model reads on in a result that was clipped, as the model sees it. */
export const readResultSpec: ToolSpec = {
  name: readResultName,
  description: 'Reads on in a long tool result that was shown only in part.',
  parameters,
}

/** The tool with which the model reads any message of the conversation. */
export const readMessageSpec: ToolSpec = {
  name: 'read_message',
  description:
    'Reads a message of this conversation in full, by its number: 12 for #12. Use it for what was cleared, clipped or left out.',
  parameters,
}

/** The tool of one of these specs, on a log. `mostTokens`: how much of a text is given at once. */
export function readingTool(spec: ToolSpec, log: TurnLog, mostTokens: () => number): Tool {
  const what = spec === readMessageSpec ? 'message' : 'tool result'
  return defineTool({
    ...(spec as Required<ToolSpec>),
    input: schema,
    async run({ place, from = 0 }) {
      const message = await log.messageAt(place)
      const { role, text: said = '', calls = [] } = message ? readMessage(message, place) : {}
      const isMeant = what === 'message' ? role !== undefined && role !== 'assistant_note' : role === 'tool'
      if (!isMeant) throw new Error(`there is no ${what} at place ${place}`)
      const made = calls.map(call => `→ ${call.name}(${call.arguments})`)
      const text = [said, ...made].filter(Boolean).join('\n')
      if (from >= text.length)
        return `(the ${what === 'message' ? what : 'result'} has ${text.length} characters)`
      const limits = { mostTokens: mostTokens(), count: log.count, tool: spec.name }
      // Undefined: the whole rest fits.
      return clippedView(text, { place, from, ...limits }) ?? text.slice(from)
    },
  })
}

interface ReadInput {
  readonly place: number
  readonly from?: number
}

const schema: StandardSchema<ReadInput> = {
  '~standard': {
    version: 1,
    vendor: 'throughline',
    validate(value) {
      const { place, from = 0 } = (value ?? {}) as Partial<ReadInput>
      if (isCount(place, 1) && isCount(from)) return { value: value as ReadInput }
      return { issues: [{ message: 'expected the place of a result, and from: a place in its text' }] }
    },
  },
}
