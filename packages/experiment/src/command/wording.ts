import { cut, plural } from '@throughline/core/values'
import type { LogOptions } from '@throughline/server/cli/open-log'
import type { ExperimentEvent, ExperimentResult } from '../index.ts'

/** A text from a model, a tool or a plan on one line, without control characters. */
export const harmless = (text: string, most = 10_000) => cut(text, most)

export const goalMark = ({ isMet }: { readonly isMet: boolean }) => (isMet ? '●' : '○')

const mostText = 160

export function eventLine(event: ExperimentEvent): string | undefined {
  switch (event.type) {
    case 'experiment-started': {
      const { id, name, step, isResumed } = event
      return `${isResumed ? 'resumed' : 'started'} ${harmless(name)} as ${harmless(id)}, step ${step}`
    }
    case 'step-started':
      return `step ${event.step} began`
    case 'role-started':
      return `${place(event)} acts`
    case 'model-called': {
      const { predicted, reported, text } = event
      const tokens =
        reported === undefined
          ? `${plural(predicted, 'token')} predicted`
          : `${predicted} tokens predicted, ${reported} reported`
      return `${place(event)} ${tokens}${text === '' ? '' : `: ${harmless(text, mostText)}`}`
    }
    case 'tool-called':
      return `${place(event)} calls ${harmless(event.name)} ${harmless(event.arguments, mostText)}`
    case 'tool-result': {
      const gave = event.isError ? 'failed: ' : event.text === '' ? 'gave nothing' : 'gave: '
      return `${place(event)} ${harmless(event.name)} ${gave}${harmless(event.text, mostText)}`
    }
    case 'role-ended':
      return event.isSkipped ? `${place(event)} skipped` : undefined
    case 'goal-tested':
      return `step ${event.step} goal ${event.isMet ? 'holds' : 'does not hold'}: ${harmless(event.description)}`
    case 'step-ended':
      return `step ${event.step} ended: ${harmless(JSON.stringify(event.environment))}`
    case 'warning':
      return `warning ${event.code}: ${harmless(event.message)}`
    case 'paused':
    case 'experiment-ended':
      return undefined
  }
}

export function resultLine({ status, result, steps }: ExperimentResult): string {
  const why = status === 'PAUSED' ? '' : `: ${harmless(result)}`
  return `${status} after ${plural(steps, 'step')}${why}`
}

/** The command that goes on with an experiment; undefined if it has ended. */
export function nextLine(
  { status, id }: ExperimentResult,
  { db, tenant, plan, model }: LogOptions & { readonly plan?: string; readonly model?: string },
): string | undefined {
  if (status === 'STOPPED')
    return `It has ended; "throughline experiment show ${quoted(id)}" shows how it stands.`
  if (status !== 'PAUSED') return undefined
  const words = [
    'throughline',
    'experiment',
    'resume',
    quoted(id),
    ...(plan === undefined ? [] : [quoted(plan)]),
    ...(model === undefined ? [] : ['--model', quoted(model)]),
    // The URL of a server is not printed: it may hold a password.
    ...(db === 'throughline.db' ? [] : ['--db', /^postgres/.test(db) ? '<url>' : quoted(db)]),
    ...(tenant === 'default' ? [] : ['--tenant', quoted(tenant)]),
  ]
  return `Go on with: ${words.join(' ')}`
}

const place = ({ step, role }: { readonly step: number; readonly role: string }) =>
  `step ${step} ${harmless(role)}`

const quoted = (word: string) =>
  /^[\w./:#@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
