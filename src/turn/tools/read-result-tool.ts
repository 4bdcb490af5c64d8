import { isCount } from '../../log/is-count.ts'
import type { ToolSpec } from '../../models/model.ts'
import type { StandardSchema } from '../../state/index.ts'
import { clippedView, readResultName } from '../log/clip-result.ts'
import type { TurnLog } from '../log/turn-log.ts'
import { defineTool, type Tool } from './tool.ts'

/** The tool with which the model reads on in a result that was clipped, as the model sees it. */
export const readResultSpec: ToolSpec = {
  name: readResultName,
  description: 'Reads on in a long tool result that was shown only in part.',
  parameters: {
    type: 'object',
    properties: { place: { type: 'integer' }, from: { type: 'integer', minimum: 0 } },
    required: ['place'],
  },
}

export function readResultTool(log: TurnLog, mostTokens: () => number): Tool {
  return defineTool({
    ...(readResultSpec as Required<ToolSpec>),
    input: schema,
    async run({ place, from = 0 }) {
      const text = await log.resultAt(place)
      if (text === undefined) throw new Error(`there is no tool result at place ${place}`)
      if (from >= text.length) return `(the result has ${text.length} characters)`
      // Undefined: the whole rest fits.
      return (
        clippedView(text, { place, from, mostTokens: mostTokens(), count: log.count }) ?? text.slice(from)
      )
    },
  })
}

interface ReadResultInput {
  readonly place: number
  readonly from?: number
}

const schema: StandardSchema<ReadResultInput> = {
  '~standard': {
    version: 1,
    vendor: 'throughline',
    validate(value) {
      const { place, from = 0 } = (value ?? {}) as Partial<ReadResultInput>
      if (isCount(place, 1) && isCount(from)) return { value: value as ReadResultInput }
      return { issues: [{ message: 'expected the place of a result, and from: a place in its text' }] }
    },
  },
}
