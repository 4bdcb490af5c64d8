import type { FitQuery } from '../../api/queries.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { allPolicies } from '../../parts/policies.ts'

/** The settings of one side of a comparison. Omitted settings default to those of the last call of the thread. */
export interface Side {
  readonly window?: number
  readonly policy?: string
  readonly reserve?: number
  /** In percent; goes with the policy `default`. */
  readonly effort?: number
  readonly notes?: 'inline' | 'system' | 'off'
  readonly shape?: 'free' | 'alternating'
  /** Another system prompt; empty for none. */
  readonly system?: string
  /** With what is pinned and hidden now, not as it was then. */
  readonly hands?: 'now'
}

const noteForms = ['inline', 'system', 'off'] as const
const shapes = ['free', 'alternating'] as const

/**
 * Reads a side of an address: `4096.balanced`, with more settings behind it: `4096.default.effort-70.reserve-512.notes-off`.
 * Invalid settings are left out. The text of a system prompt stands in a field of its own.
 */
export function readSide(text = '', system?: string): Side {
  const [window = '', policy = '', ...settings] = text.split('.')
  const values = new Map(
    settings.map(one => {
      const dash = one.indexOf('-')
      return [one.slice(0, dash), one.slice(dash + 1)] as const
    }),
  )
  const effort = readNumber(values.get('effort'), 0, 100)
  return {
    window: readNumber(window, 1, mostTokens),
    policy: policy === '' ? undefined : effort === undefined ? policy : 'default',
    reserve: readNumber(values.get('reserve'), 0, mostTokens),
    effort,
    notes: noteForms.find(one => one === values.get('notes')),
    shape: shapes.find(one => one === values.get('shape')),
    hands: values.get('hands') === 'now' ? 'now' : undefined,
    system: values.has('system') ? (values.get('system') === 'none' ? '' : system) : undefined,
  }
}

/** What a comparison begins with: the same window with the last 50 messages. */
export const usualOther = ({ window, policy }: Pick<TimelinePoint, 'window' | 'policy'>): string =>
  `${window}.${policy.startsWith('sliding') ? 'balanced' : 'sliding-50'}`

/** A side with its window and its policy by name, as an address has it. */
export const named = (side: Side, made: Pick<TimelinePoint, 'window' | 'policy'> | undefined): Side => ({
  ...side,
  window: side.window ?? made?.window,
  // The policy of the last call is used only if addresses can name it.
  policy: side.policy ?? allPolicies.find(policy => policy === made?.policy),
})

export const mostTokens = 100_000_000

/** As it stands in an address: the side, and the text of its system prompt if it has one. */
export function writeSide(side: Side): { readonly text: string; readonly system: string | undefined } {
  const { window, policy, reserve, effort, notes, shape, hands, system } = side
  const prompt = system === undefined ? undefined : system === '' ? 'none' : 'other'
  const settings = Object.entries({ reserve, effort, notes, shape, hands, system: prompt }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`${name}-${value}`]),
  )
  return {
    text: [window ?? '', policy ?? '', ...settings].join('.'),
    system: system === '' ? undefined : system,
  }
}

/** The settings as the API takes them. */
export const toFit = ({ effort, ...side }: Side): FitQuery => ({
  ...side,
  effort: effort === undefined ? undefined : effort / 100,
})

/** Changes the policy, and drops the settings of the previous one. */
export const withPolicy = (side: Side, policy: string): Side => ({ ...side, policy, effort: undefined })

/** A side as a program would write it. */
export function toCode(side: Side): string {
  const { window, reserve, notes, shape, system } = side
  const lines = [
    `window: ${window}, reserve: ${reserve},`,
    `policy: ${policyCode(side)},`,
    notes !== undefined && `notes: ${notes === 'off' ? 'false' : `'${notes}'`},`,
    shape !== undefined && `shape: '${shape}',`,
  ]
  const messages = system ? `[{ role: 'system', content: prompt }, ...chat]` : 'chat'
  return [`fit(${messages}, {`, ...lines.flatMap(line => (line ? [`  ${line}`] : [])), '})'].join('\n')
}

function policyCode({ policy = 'default', effort }: Side): string {
  if (effort !== undefined) return `recall({ effort: ${effort / 100} })`
  const [, name = policy, many] = /^(sliding|tiered)-(\d+)$/.exec(policy) ?? []
  if (name === 'default') return 'defaultPolicy'
  if (many === undefined) return `${name}()`
  return name === 'sliding' ? `sliding({ messages: ${many} })` : `tiered({ full: ${many} })`
}

function readNumber(text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined
  const number = Number(text)
  return number >= least && number <= most ? number : undefined
}
