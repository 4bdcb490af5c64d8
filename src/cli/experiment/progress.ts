import type { ExperimentEvent } from '../../experiment/index.ts'
import { harmless } from './wording.ts'

/** What a role is doing, from its events. */
export interface RoleProgress {
  readonly name: string
  readonly doing: 'waits' | 'thinks' | 'done' | 'skipped' | 'calls'
  /** When `doing` began. */
  readonly since: number
  /** The prompt tokens of the newest model call. */
  readonly predicted?: number
  readonly reported?: number
  /** The newest tool call; its `text` is undefined while it runs. */
  readonly tool?: { readonly name: string; readonly text: string | undefined; readonly isError: boolean }
}

export interface Progress {
  readonly name: string
  readonly id: string
  readonly step: number
  readonly maxSteps: number
  readonly began: number
  readonly roles: readonly RoleProgress[]
  readonly goals: readonly {
    readonly description: string
    readonly outcome?: string
    readonly isMet: boolean
  }[]
  readonly environment: Readonly<Record<string, unknown>>
  /** Changes of the last step that ended: `cash 20 → 110`. */
  readonly changes: readonly string[]
  readonly warning?: string
  /** A hint for the user at the terminal. */
  readonly notice?: string
}

/** The progress after one more event. */
export function takeEvent(progress: Progress, event: ExperimentEvent, now: number): Progress {
  const inRole = (role: string, change: Partial<RoleProgress>): Progress => ({
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
      return inRole(event.role, { doing: 'thinks', predicted, ...(reported !== undefined && { reported }) })
    }
    case 'tool-called':
      return inRole(event.role, {
        doing: 'calls',
        tool: { name: event.name, text: undefined, isError: false },
      })
    case 'tool-result': {
      const { name, text, isError } = event
      return inRole(event.role, { doing: 'thinks', tool: { name, text, isError } })
    }
    case 'role-ended':
      return inRole(event.role, { doing: event.isSkipped ? 'skipped' : 'done' })
    case 'goal-tested': {
      const { description, isMet } = event
      const goals = progress.goals.map(goal => (goal.description === description ? { ...goal, isMet } : goal))
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

function changesBetween(before: Progress['environment'], now: Progress['environment']): readonly string[] {
  return Object.keys(now).flatMap(variable => {
    const [old, value] = [JSON.stringify(before[variable]), JSON.stringify(now[variable])]
    return old === value ? [] : [`${variable} ${harmless(old ?? '', 40)} → ${harmless(value ?? '', 40)}`]
  })
}
