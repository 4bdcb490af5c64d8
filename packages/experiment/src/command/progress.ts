import { bold, cyan, dim, green, red, yellow } from '@throughline/server/cli/style'
import type { Environment, ExperimentEvent, GoalTest } from '../index.ts'
import type { ScreenLine } from './screen.ts'
import { goalMark, harmless } from './wording.ts'

export interface RoleProgress {
  readonly name: string
  readonly doing: 'waits' | 'thinks' | 'done' | 'skipped' | 'calls'
  readonly since: number
  /** The prompt tokens of the newest model call. */
  readonly predicted?: number
  readonly reported?: number
  /** The newest tool call; without `text` while it runs. */
  readonly tool?: { readonly name: string; readonly text?: string; readonly isError: boolean }
}

export interface RunState {
  readonly name: string
  readonly id: string
  readonly step: number
  readonly maxSteps: number
  readonly began: number
  readonly roles: readonly RoleProgress[]
  readonly goals: readonly GoalTest[]
  readonly environment: Environment
  /** Changes of the last step that ended: `cash 20 → 110`. */
  readonly changes: readonly string[]
  readonly warning?: string
  readonly notice?: string
}

export function takeEvent(progress: RunState, event: ExperimentEvent, now: number): RunState {
  const inRole = (role: string, change: Partial<RoleProgress>): RunState => ({
    ...progress,
    roles: progress.roles.map(one => (one.name === role ? { ...one, since: now, ...change } : one)),
  })
  switch (event.type) {
    case 'experiment-started':
      return { ...progress, id: event.id, name: event.name, step: event.step }
    case 'step-started': {
      const roles = progress.roles.map(role => ({ ...role, doing: 'waits' as const, since: now }))
      return { ...progress, step: event.step, environment: event.environment, roles }
    }
    case 'role-started':
      return inRole(event.role, { doing: 'thinks' })
    case 'model-called': {
      const { predicted, reported } = event
      return inRole(event.role, {
        doing: 'thinks',
        predicted,
        ...(reported !== undefined && { reported }),
      })
    }
    case 'tool-called':
      return inRole(event.role, { doing: 'calls', tool: { name: event.name, isError: false } })
    case 'tool-result': {
      const { name, text, isError } = event
      return inRole(event.role, { doing: 'thinks', tool: { name, text, isError } })
    }
    case 'role-ended':
      return inRole(event.role, { doing: event.isSkipped ? 'skipped' : 'done' })
    case 'goal-tested': {
      const { description, isMet } = event
      const goals = progress.goals.map(goal =>
        goal.description === description ? { ...goal, isMet } : goal,
      )
      return { ...progress, goals }
    }
    case 'step-ended': {
      const changes = changesBetween(progress.environment, event.environment)
      return { ...progress, environment: event.environment, changes }
    }
    case 'warning':
      return { ...progress, warning: event.message }
    case 'paused':
    case 'experiment-ended':
      return progress
  }
}

function changesBetween(before: Environment, now: Environment): readonly string[] {
  return Object.keys(now).flatMap(variable => {
    const [old, value] = [JSON.stringify(before[variable]), JSON.stringify(now[variable])]
    return old === value
      ? []
      : [`${variable} ${harmless(old ?? '', 40)} → ${harmless(value ?? '', 40)}`]
  })
}

/** Draws an experiment for the terminal: a line for each role, the goals, what the last step changed. */
export function frameOf(progress: RunState, now: number): readonly ScreenLine[] {
  const { name, id, step, maxSteps, began, roles, goals, changes, warning, notice } = progress
  const longest = roles.reduce(
    (most, { name }) => Math.min(20, Math.max(most, harmless(name).length)),
    0,
  )
  const title: ScreenLine = [
    [bold, harmless(name)],
    [0, `  step ${step} of ${maxSteps}`],
    [dim, `  ${seconds(now - began)}  ${harmless(id)}`],
  ]
  const lines = [title, ...roles.map(role => roleLine(role, longest, now)), ...goals.map(goalLine)]
  const changed: ScreenLine = [
    [dim, 'changed: '],
    [0, changes.join(', ')],
  ]
  if (changes.length > 0) lines.push(changed)
  if (warning !== undefined) lines.push([[yellow, `! ${harmless(warning)}`]])
  if (notice !== undefined) lines.push([[bold, notice]])
  return lines
}

const goalLine = (goal: RunState['goals'][number]): ScreenLine => [
  [goal.isMet ? (goal.outcome === 'failed' ? red : green) : dim, `${goalMark(goal)} `],
  [0, harmless(goal.description)],
  [dim, goal.outcome === 'failed' ? ' (fails)' : ''],
]

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
