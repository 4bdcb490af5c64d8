/** Without it `@hono/node-server` waits for the first pieces of a stream, and sends those of a broken one as the whole. */
export const inPieces = { 'transfer-encoding': 'chunked' } as const
