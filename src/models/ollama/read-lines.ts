import { parseJsonObject } from '../../log/parse-json.ts'
import { readFault } from '../read-fault.ts'
import { type Server, toStreamError } from '../to-model-error.ts'
import type { OllamaChunk } from './read-parts.ts'

/** Reads the lines of an answer, up to the one that is `done`. */
export interface LineReader {
  /** Undefined for an empty line and for what follows the last one. Throws for a bad line and for an error. */
  read(line: string): OllamaChunk | undefined
  isDone(): boolean
  /** Throws if the answer ended before it was done. */
  end(): void
}

export function lineReader(server: Server): LineReader {
  let isDone = false
  return {
    read(line) {
      if (isDone || line.trim() === '') return undefined
      const value = parseJsonObject(line)
      if (!value) throw toStreamError(server, 'sent a line that cannot be read')
      if ('error' in value)
        throw toStreamError(server, 'failed in the middle of its answer', readFault(value))
      isDone = value.done === true
      return value
    },
    isDone: () => isDone,
    end() {
      if (!isDone) throw toStreamError(server, 'ended its answer before it was done')
    },
  }
}
