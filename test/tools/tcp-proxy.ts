import { createServer, connect as dial, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Stands between a client and a server, and does to their connections what a network may do. */
export interface TcpProxy {
  readonly port: number
  /** How many connections were cut. */
  readonly cuts: number
  /** Loses the next answers: nothing of one arrives, and its connection is cut as soon as `isTime` of what has come. */
  loseAnswers(times: number, isTime: (answer: string) => boolean): void
  /** Cuts all connections now. */
  cutAll(): void
  /** From now on every piece that the server sends arrives so much later. */
  delay(ms: number): void
  stop(): Promise<void>
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const clients = new Set<Socket>()
  let [cuts, toLose, delayMs] = [0, 0, 0]
  let isTime: (answer: string) => boolean = () => false

  const cut = (client: Socket) => {
    cuts += 1
    client.resetAndDestroy()
  }
  const server = createServer(client => {
    const upstream = dial(Number(port), hostname)
    clients.add(client)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        clients.delete(client)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    let held = ''
    let sent = Promise.resolve()
    upstream.on('data', data => {
      if (toLose > 0) {
        held += data.toString('latin1')
        if (!isTime(held)) return
        toLose -= 1
        return cut(client)
      }
      // In order, however the delay changes meanwhile.
      const arrives = wait(delayMs, undefined, { ref: false })
      sent = sent.then(() => arrives).then(() => void client.write(data))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as { port: number }).port,
    get cuts() {
      return cuts
    },
    loseAnswers(times, condition) {
      toLose = times
      isTime = condition
    },
    cutAll() {
      for (const client of clients) cut(client)
    },
    delay(ms) {
      delayMs = ms
    },
    async stop() {
      for (const client of clients) client.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
