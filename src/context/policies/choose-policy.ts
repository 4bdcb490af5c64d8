import { InvalidOptionError } from '../../log/error.ts'
import type { Policy } from '../draft/policy.ts'
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

const policies: Readonly<Record<string, (options: PolicyOptions) => Policy>> = {
  default: ({ effort }) => (effort === undefined ? defaultPolicy : recall({ effort })),
  stable: () => stable(),
  thrifty: () => thrifty(),
  balanced: () => balanced(),
  thorough: () => thorough(),
  spongebob: () => spongebob(),
  tiered: ({ full, max }) =>
    tiered({ ...(full === undefined ? {} : { full }), ...(max === undefined ? {} : { max }) }),
  sliding: ({ messages }) => sliding(messages === undefined ? {} : { messages }),
}

export const policyNames: readonly string[] = Object.keys(policies)

/** The policy that a configuration or a command line names. */
export function choosePolicy(name: string, options: PolicyOptions = {}): Policy {
  const make = Object.hasOwn(policies, name) ? policies[name] : undefined
  if (options.effort !== undefined && name !== 'default') {
    throw new InvalidOptionError('effort', `goes with the policy "default", not with "${name}"`)
  }
  if (!make)
    throw new InvalidOptionError('policy', `expected one of ${policyNames.join(', ')}, got "${name}"`)
  return make(options)
}
