import { bold, cyan, dim, green, red, yellow } from '../style.ts'
import type { Progress, RoleProgress } from './progress.ts'
import type { ScreenLine } from './screen.ts'
import { goalMark, harmless } from './wording.ts'

/** Draws an experiment for the terminal: a line for each role, the goals, what the last step changed. */
export function frameOf(progress: Progress, now: number): readonly ScreenLine[] {
  const { name, id, step, maxSteps, began, roles, goals, changes, warning, notice } = progress
  const longest = roles.reduce((most, { name }) => Math.min(20, Math.max(most, harmless(name).length)), 0)
  return [
    [
      [bold, harmless(name)],
      [0, `  step ${step} of ${maxSteps}`],
      [dim, `  ${seconds(now - began)}  ${harmless(id)}`],
    ],
    ...roles.map(role => roleLine(role, longest, now)),
    ...goals.map(
      (goal): ScreenLine => [
        [goal.isMet ? (goal.outcome === 'failed' ? red : green) : dim, `${goalMark(goal)} `],
        [0, harmless(goal.description)],
        [dim, goal.outcome === 'failed' ? ' (fails)' : ''],
      ],
    ),
    ...(changes.length === 0
      ? []
      : [
          [
            [dim, 'changed: '],
            [0, changes.join(', ')],
          ] satisfies ScreenLine,
        ]),
    ...(warning === undefined ? [] : [[[yellow, `! ${harmless(warning)}`]] satisfies ScreenLine]),
    ...(notice === undefined ? [] : [[[bold, notice]] satisfies ScreenLine]),
  ]
}

function roleLine(
  { name, doing, since, predicted, reported, tool }: RoleProgress,
  longest: number,
  now: number,
): ScreenLine {
  const isActive = doing !== 'waits' && doing !== 'done' && doing !== 'skipped'
  // The first second of a call shows no clock.
  const clock = isActive && now - since >= 1000 ? ` ${seconds(now - since)}` : ''
  const tokens = predicted === undefined ? '' : `${predicted}/${reported ?? '–'} tokens`
  return [
    [isActive ? cyan : dim, isActive ? '▸ ' : '  '],
    [isActive ? bold : 0, harmless(name, longest).padEnd(longest)],
    [isActive ? cyan : dim, `  ${(doing + clock).padEnd(12)}`],
    [dim, `  ${tokens.padEnd(16)}`],
    [tool?.isError ? red : 0, tool ? `  ${toolText(tool)}` : ''],
  ]
}

function toolText({ name, text }: NonNullable<RoleProgress['tool']>): string {
  if (text === undefined) return `${harmless(name)} …`
  return text === '' ? harmless(name) : `${harmless(name)} → ${harmless(text, 200)}`
}

const seconds = (ms: number) => `${Math.floor(ms / 1000)} s`
