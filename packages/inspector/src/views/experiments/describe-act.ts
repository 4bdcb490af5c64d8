import { parseJsonObject } from '@throughline/core/values'
import type { RoleAct } from '../../api/experiment-queries.ts'

type ActTool = RoleAct['tools'][number]

/** What a role did, for a cell of the board: a line for each tool, what it was asked for in a few letters; else what it said. */
export function linesOf({ tools, text, status }: RoleAct) {
  if (tools.length === 0)
    return text === ''
      ? []
      : [{ name: '', value: text, kind: status === 'failed' ? 'failed' : 'done' }]
  // One tool needs no name: the row says who acts, and the value what was done.
  const isOne = tools.length === 1
  return tools.map(tool => {
    const value = argumentOf(tool)
    const kind = tool.result === undefined ? 'running' : tool.isError ? 'failed' : 'done'
    return { name: isOne && value !== '' ? '' : verbOf(tool.name), value, kind }
  })
}

/** The argument of a tool, if it is one plain value. */
function argumentOf({ arguments: json }: ActTool): string {
  const values = Object.values(parseJsonObject(json) ?? {})
  return values.length === 1 && typeof values[0] !== 'object' ? String(values[0]) : ''
}

/** `purchase_lemons` → `purchase` */
const verbOf = (name: string) => name.split(/[_\-.\s/]|(?<=[a-z])(?=[A-Z])/)[0] || name

/** The act as a sentence, for people who do not see the board. */
export function sentenceOfAct(act: RoleAct): string {
  if (act.tools.length === 0) return act.text
  return act.tools
    .map(({ name, arguments: json, result, isError }) => {
      const end = result === undefined ? ', running' : isError ? ', failed' : ''
      return `${name} ${json}${end}`
    })
    .join('; ')
}

/** How full the window was in the fullest call of an act, from 0 to 1; 0 while it is unknown. */
export const fullnessOf = ({ calls }: RoleAct): number =>
  Math.max(
    0,
    ...calls.map(({ predicted, window, reserve }) =>
      window === undefined ? 0 : predicted / Math.max(1, window - reserve),
    ),
  )

export const largestCall = (act: RoleAct | undefined): RoleAct['calls'][number] | undefined =>
  act?.calls.toSorted((a, b) => b.predicted - a.predicted)[0]
