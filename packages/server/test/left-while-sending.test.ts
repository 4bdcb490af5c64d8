import { connect } from 'node:net'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'

it.each(['', 'content-encoding: gzip\r\n'])(
  'a client that leaves while it sends has left: nothing failed in the server (%j)',
  async header => {
    const { url, served } = await startServer()
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}content-length: 1000\r\n\r\n{"model":`,
    )
    // The first part of the body is there.
    await new Promise(resolve => setTimeout(resolve, 50))
    socket.destroy()
    await expect.poll(() => served.length).toBe(1)
    expect(served[0]!.fault).toMatchObject({ status: 499, code: 'client_left' })
  },
)
