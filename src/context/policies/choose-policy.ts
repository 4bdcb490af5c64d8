import { InvalidOptionError } from '../../log/error.ts'
import type { Policy } from '../draft/draft.ts'
import { balanced, defaultPolicy, recall, thorough, thrifty } from './recall.ts'
import { sliding } from './sliding.ts'
import { spongebob } from './spongebob.ts'
import { stable } from './stable.ts'
import { tiered } from './tiered.ts'

export interface PolicyOptions {
  readonly messages?: number
  readonly full?: number
  readonly max?: number
  readonly effort?: number
}

/** The policies without options, under the names that plans, configurations and commands have for them. */
export const plainPolicies = {
  default: defaultPolicy,
  stable: stable(),
  thrifty: thrifty(),
  balanced: balanced(),
  thorough: thorough(),
  spongebob: spongebob(),
  tiered: tiered(),
}

export type PlainPolicy = keyof typeof plainPolicies

export const policyNames: readonly string[] = [...Object.keys(plainPolicies), 'sliding']

/** The policy that a configuration or a command line names. */
export function choosePolicy(name: string, { messages, full, max, effort }: PolicyOptions = {}): Policy {
  if (effort !== undefined && name !== 'default')
    throw new InvalidOptionError('effort', `goes with the policy "default", not with "${name}"`)
  if (!policyNames.includes(name))
    throw new InvalidOptionError('policy', `expected one of ${policyNames.join(', ')}, got "${name}"`)
  if (effort !== undefined) return recall({ effort })
  if (name === 'sliding') return sliding(messages === undefined ? {} : { messages })
  if (name === 'tiered')
    return tiered({ ...(full !== undefined && { full }), ...(max !== undefined && { max }) })
  return plainPolicies[name as PlainPolicy]
}
