import { askJson } from '../../models/wire/ask.ts'
import { openServer, type ServerSetup } from '../../models/wire/open-server.ts'
import { openConnection, type UpstreamConnectionOptions } from './connection.ts'
import type { Upstream } from './upstream.ts'

/** An upstream by its address and its wires. */
export function openUpstream(
  kind: Upstream['kind'],
  options: UpstreamConnectionOptions,
  setup: Omit<ServerSetup, 'connection'>,
): Upstream {
  const connection = openConnection(options)
  const { server, ...models } = openServer({ ...setup, connection })
  const { address, isKeyed, pass, close } = connection
  return {
    ...{ kind, address, isKeyed, ...models, close },
    ask: (question, isFact) => askJson(connection, server, question, isFact),
    pass: request => pass(request, server),
  }
}
