import { ThroughlineError } from '../../../log/error.ts'

/** Texts that got no vectors: `embed_timeout` if they did not come in time, `invalid_vector` if what came is none. */
export class EmbedError extends ThroughlineError {
  declare readonly code: 'embed_timeout' | 'invalid_vector'
}
