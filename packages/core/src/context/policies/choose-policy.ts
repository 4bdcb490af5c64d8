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

/** The name of a policy in plans, configurations, commands and on the page. */
export type PolicyName = PlainPolicy | 'sliding'

export const plainNames = Object.keys(plainPolicies) as [PlainPolicy, ...PlainPolicy[]]

export const policyNames: readonly [PolicyName, ...PolicyName[]] = [...plainNames, 'sliding']

/** The policy that a configuration or a command line names. */
export function choosePolicy(
  name: string,
  { messages, full, max, effort }: PolicyOptions = {},
): Policy {
  if (effort !== undefined && name !== 'default')
    throw new InvalidOptionError('effort', `goes with the policy "default", not with "${name}"`)
  if (!policyNames.some(policy => policy === name))
    throw new InvalidOptionError(
      'policy',
      `expected one of ${policyNames.join(', ')}, got "${name}"`,
    )
  if (effort !== undefined) return recall({ effort })
  if (name === 'sliding') return sliding({ messages })
  if (name === 'tiered') return tiered({ full, max })
  return plainPolicies[name as PlainPolicy]
}
