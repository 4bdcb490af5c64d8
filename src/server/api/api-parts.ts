import type { ExperimentTools } from '../../experiment/index.ts'
import type { HistoryOptions } from '../../history/index.ts'
import type { State } from '../../state/index.ts'
import type { ServerParts } from '../routes/server-parts.ts'
import type { Feeds } from './live/feeds.ts'
import type { RunningExperiments } from './live/running-experiments.ts'
import type { Timelines } from './timeline/timelines.ts'

export interface AboutServer extends Pick<ServerParts, 'person'> {
  readonly upstream?: string
  /** The name of the log, for people. */
  readonly store?: string
  readonly needsKey: boolean
  /** What a message may bring back. */
  readonly remember: NonNullable<HistoryOptions['remember']>
}

export interface ApiOptions extends ServerParts {
  readonly about: AboutServer
  /** The embedder of the logs, so that contexts are shown as they are sent. */
  readonly embed?: HistoryOptions['embed']
  /** How often the store is asked what other servers on it wrote, for live events. Default one second. */
  readonly pollMs?: number
  /** How many may listen to live events at once. Default 256. */
  readonly maxListeners?: number
  /** The tools that roles of experiments may use. */
  readonly experimentTools?: ExperimentTools<Record<string, unknown>>
  /** States that the API shows: `name=tool`, or `name=tool#/path` for a part of the result. */
  readonly states?: readonly string[]
}

export interface ApiParts extends Omit<ApiOptions, 'states'> {
  readonly states: readonly State<unknown>[]
  readonly feeds: Feeds
  readonly timelines: Timelines
  readonly experiments: RunningExperiments
}
