import { createServer, connect as dial, type Socket } from 'node:net'

/** A connection to PostgreSQL that can be cut at the worst moment. */
export interface CutProxy {
  readonly url: string
  /** The next answer of the server is thrown away, and the connection with it: what it answers has been committed. */
  cutNextAnswer(): Promise<void>
  stop(): Promise<void>
}

export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let cut: (() => void) | undefined

  const server = createServer(client => {
    const upstream = dial(Number(port || 5432), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    let held = Buffer.alloc(0)
    upstream.on('data', data => {
      if (!cut) return client.write(data)
      held = Buffer.concat([held, data])
      // ReadyForQuery, outside of a transaction: only now is the statement committed.
      if (!held.subarray(-6).equals(readyForQuery)) return
      client.destroy()
      cut()
      cut = undefined
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`

  return {
    url: url.href,
    cutNextAnswer: () =>
      new Promise(resolve => {
        cut = resolve
      }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
