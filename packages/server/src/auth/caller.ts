import type { Log } from '../exchange/inquiry.ts'

/**
 * What a key may do. `chat`: have requests answered. `read`: see conversations as their users do. `inspect`: also see what
 * no user sees, notes, contexts, calls and experiments. `admin`: change and delete, and manage keys. `metrics`: how much is
 * done and how long it takes, without names or texts. No scope includes another.
 */
export const scopes = ['chat', 'read', 'inspect', 'admin', 'metrics'] as const

export type KeyScope = (typeof scopes)[number]

/** Who sends a request. */
export interface Caller {
  /** The owner of the conversations. */
  readonly tenant: string
  readonly person?: string
  /** The id of the key; empty for a request that needs none. */
  readonly keyId: string
  readonly scopes: readonly KeyScope[]
  /** Whether the key stands in the configuration: the operator may manage the keys of all tenants. */
  readonly isOperator?: true
}

/** What every route finds in its context. */
export interface ServerEnv {
  Variables: {
    readonly caller: Caller
    readonly log: Log
    readonly requestId: string
  }
}

/** The tenant of those who give no key, and of the keys in the configuration. */
export const defaultTenant = 'default'
