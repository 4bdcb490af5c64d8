import { createReadStream } from 'node:fs'

/** Opens the text of a file. */
export const textOfFile = (file: string) => (): AsyncIterable<string> =>
  createReadStream(file, { encoding: 'utf8' })
