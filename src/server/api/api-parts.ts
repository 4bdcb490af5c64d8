import type { ExperimentTools } from '../../experiment/index.ts'
import type { HistoryOptions } from '../../history/index.ts'
import type { State } from '../../state/index.ts'
import type { Cancels } from '../../turn/cancels.ts'
import type { Keys } from '../auth/create-keys.ts'
import type { Cache } from '../cache/create-cache.ts'
import type { AnswerOptions } from '../exchange/answer.ts'
import type { Runner } from '../exchange/runner.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { Feeds } from './live/feeds.ts'
import type { RunningExperiments } from './live/running-experiments.ts'
import type { Timelines } from './timeline/timelines.ts'

/** What the server tells of itself. */
export interface AboutServer {
  /** Which upstream answers and why, in a sentence. */
  readonly upstream?: string | undefined
  /** The name of the log, for people. */
  readonly store?: string | undefined
  /** Whether every request needs a key. */
  readonly needsKey: boolean
  /** What a message may bring back. */
  readonly remember: NonNullable<HistoryOptions['remember']>
  /** Who speaks where a request names nobody. */
  readonly person?: string | undefined
}

/** What the routes share. */
export interface ApiParts {
  readonly about: AboutServer
  readonly upstreams: Upstreams
  readonly options: AnswerOptions
  readonly maxBodyBytes: number
  readonly newId: () => string
  /** The tools that roles of posted plans may use. */
  readonly experimentTools: ExperimentTools<Record<string, unknown>>
  /** The states that are read from threads. */
  readonly states: readonly State<unknown>[]
  readonly runner: Runner
  readonly cache: Pick<Cache, 'latest'>
  readonly keys: Keys
  readonly feeds: Feeds
  readonly timelines: Timelines
  /** What is being answered, also by other servers. */
  readonly cancels: Cancels
  readonly experiments: RunningExperiments
}
