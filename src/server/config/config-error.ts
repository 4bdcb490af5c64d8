import { ThroughlineError } from '../../log/error.ts'

/** One thing that is wrong with a configuration. */
export interface ConfigFault {
  /** Where the value stands, in the words of that place: `--port`, `THROUGHLINE_PORT`, `"port" in throughline.json`. */
  readonly source: string
  /** What it must be, or what to do. */
  readonly problem: string
}

/** A configuration that the server does not start with. Names every fault, with its source. */
export class ConfigError extends ThroughlineError {
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super('invalid_config', faults.map(({ source, problem }) => `${source} ${problem}`).join('\n'))
    this.faults = faults
  }
}
