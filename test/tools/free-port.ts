import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A port for a server that is started later, or stopped and started again. It is below the ports that the system gives to
 * clients: while the server is down, a client could otherwise be given the same one.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 30_000)
  const isFree = await new Promise(resolve => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
