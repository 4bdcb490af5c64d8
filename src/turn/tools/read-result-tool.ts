import type { StandardSchema } from '../../state/index.ts'
import { clippedView, clipText, readResultName } from '../log/clip-result.ts'
import type { TurnLog } from '../log/turn-log.ts'
import { defineTool, type Tool } from './tool.ts'

interface Input {
  readonly place: number
  readonly from?: number
}

/** The tool with which the model reads on in a result that was clipped. */
export function readResultTool(log: TurnLog, mostTokens: () => number): Tool {
  return defineTool({
    name: readResultName,
    description: 'Reads on in a long tool result that was shown only in part.',
    input: schema,
    parameters: {
      type: 'object',
      properties: { place: { type: 'integer' }, from: { type: 'integer', minimum: 0 } },
      required: ['place'],
    },
    async run({ place, from = 0 }) {
      const text = await log.resultAt(place)
      if (text === undefined) throw new Error(`there is no tool result at place ${place}`)
      if (from >= text.length) return `(the result has ${text.length} characters)`
      const most = { mostTokens: mostTokens(), count: log.count }
      return (
        clippedView(text, { place, from, ...most }) ?? clipText(text, from, most.mostTokens, most.count).text
      )
    },
  })
}

const isPlace = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least

const schema: StandardSchema<Input> = {
  '~standard': {
    version: 1,
    vendor: 'throughline',
    validate(value) {
      const { place, from } = (value ?? {}) as { place?: unknown; from?: unknown }
      if (!isPlace(place, 1))
        return { issues: [{ message: 'expected the place of a result', path: ['place'] }] }
      if (from !== undefined && !isPlace(from, 0))
        return { issues: [{ message: 'expected a place in the text', path: ['from'] }] }
      return { value: value as Input }
    },
  },
}
