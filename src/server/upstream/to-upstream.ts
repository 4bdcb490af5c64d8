import { askJson } from '../../models/wire/ask.ts'
import type { ModelServer } from '../../models/wire/open-server.ts'
import type { PoolConnection } from './connection.ts'
import type { Upstream } from './upstream.ts'

export function toUpstream(
  kind: Upstream['kind'],
  connection: PoolConnection,
  { server, ...models }: ModelServer,
): Upstream {
  const { address, isKeyed, pass, close } = connection
  return {
    ...{ kind, address, isKeyed, ...models, close },
    ask: (question, isFact) => askJson(connection, server, question, isFact),
    pass: request => pass(request, server),
  }
}
