import type { PolicyName } from '@throughline/server/api-types'

/** A policy as addresses name it: how many messages `sliding` keeps is part of its name. */
export type OfferedPolicy = Exclude<PolicyName, 'default' | 'sliding'> | `sliding-${number}`

/** Each policy in a few words, in the order in which they are offered. A policy that is missing here does not compile. */
const abouts: Readonly<Record<Exclude<PolicyName, 'default'>, string>> = {
  thrifty: 'brings back little, reads least',
  balanced: 'the usual one',
  thorough: 'brings back much, reads more',
  stable: 'cuts seldom, brings nothing back',
  tiered: 'older messages shortened to a line',
  spongebob: 'the first and the last messages',
  sliding: 'the last messages',
}

export function aboutPolicy(policy: string): string | undefined {
  const [name = ''] = policy.split('-')
  return Object.hasOwn(abouts, name) ? abouts[name as keyof typeof abouts] : undefined
}

const offered = (...counts: readonly number[]): readonly string[] =>
  Object.keys(abouts).flatMap(name =>
    name === 'sliding' ? counts.map(count => `${name}-${count}`) : name,
  )

/** The policies to choose from, and those that are compared with each other. */
export const allPolicies = offered(20, 50, 100)
export const usualPolicies = offered(50)
