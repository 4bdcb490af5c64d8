import type { StandardSchema } from '../state/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { clippedView, clipText, readResultName } from './clip-result.ts'
import type { Session } from './session.ts'
import { defineTool, type Tool } from './tool.ts'

interface Input {
  readonly place: number
  readonly from?: number
}

/** Lets the model read on in a result of which it was shown only the beginning. */
export function readResultTool(
  { mostTokens, count }: { readonly mostTokens: number; readonly count: TokenCounter },
  session: Session,
): Tool {
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
      const text = await session.resultAt(place)
      if (text === undefined) throw new Error(`there is no tool result at place ${place}`)
      if (from >= text.length) return `(the result has ${text.length} characters)`
      return (
        clippedView(text, { place, from, mostTokens, count }) ?? clipText(text, from, mostTokens, count).text
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
