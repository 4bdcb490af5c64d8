/**
 * For the response to a stream: its length is not known. Without it `@hono/node-server` waits for the first pieces, and if
 * these end in an error it sends what came as if it were the whole.
 */
export const inPieces = { 'transfer-encoding': 'chunked' } as const
