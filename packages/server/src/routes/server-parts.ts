import type { Cancels } from '@throughline/chat/turn'
import type { JsonLimits } from '@throughline/core/fields'
import type { Keys } from '../auth/create-keys.ts'
import type { Cache } from '../cache/create-cache.ts'
import type { AnswerOptions } from '../exchange/answer.ts'
import type { Log } from '../exchange/inquiry.ts'
import type { StreamLimits } from '../exchange/reply-writer.ts'
import type { ReplyRunner } from '../exchange/runner.ts'
import type { OnStoreFault } from '../exchange/unstored.ts'
import type { BodyParser } from '../guard/create-body-parser.ts'
import type { Gate } from '../guard/create-gate.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** What one request may cost. */
export interface ServerLimits extends StreamLimits {
  /** The largest body in bytes. Default 32 MiB. */
  readonly maxBodyBytes: number
  /** The most messages of one request. Default 100,000. */
  readonly maxMessages: number
  readonly json: JsonLimits
}

export interface ServerParts extends ServerLimits, BodyParser {
  readonly upstreams: Upstreams
  /** How turns are answered, whatever the request says. */
  readonly options: AnswerOptions
  readonly onStoreFault: OnStoreFault
  /** How long the store may take for a step of placing a request. */
  readonly storeWaitMs: number
  readonly runner: ReplyRunner
  readonly gate: Gate
  readonly cache: Cache
  readonly keys: Keys
  /** What is being answered, also by other servers. */
  readonly cancels: Cancels
  readonly logOf: (tenant: string) => Log
  /** The window that clients are told. Default 1,000,000: they then send everything, and the log is whole. */
  readonly advertisedWindow: number
  /** Whether clients may change the models of the upstream. Default false. */
  readonly manage: boolean
  /** The person of requests that name none. Default: none. */
  readonly person?: string
  /** The model that answers what clients ask beside conversations. Default: the one that they name. */
  readonly sideModel?: string
  /** How long a reply to `useChat` goes on whose client has left. Default 30 s. */
  readonly lingerMs?: number
  /** Since when the server runs, in milliseconds. */
  readonly began: number
  readonly now: () => number
  readonly newId: () => string
}
