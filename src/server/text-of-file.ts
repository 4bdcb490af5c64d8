import { createReadStream } from 'node:fs'

export const textOfFile = (file: string) => (): AsyncIterable<string> =>
  createReadStream(file, { encoding: 'utf8' })
