import { BadRequestError } from '../../log/bad-request-error.ts'
import type { ChatRequest } from '../adapters/adapter.ts'
import { type HeadersOf, knownClient, personIn, personOf } from '../identity/known-client.ts'

// An invalid name is refused: without it, the request would count as that of the configured person, or of none.

/** The person that headers name; undefined if they name none. */
export function headerPerson(headers: HeadersOf): string | undefined {
  const name = personHeaders.find(one => headers[one]?.trim())
  return name && (personIn({ [name]: headers[name] }) ?? refuse(`The header ${name}`, name))
}

const personHeaders = ['x-throughline-person', 'x-openwebui-user-id'] as const

/** The person that a body names; undefined if it names none, or only a session. */
export function bodyPerson({ named: { user } }: Pick<ChatRequest, 'named'>): string | undefined {
  const named = { named: { user } } as ChatRequest
  const isSession = () => knownClient(named, {}) !== undefined
  return (
    personOf(named) ?? (user?.trim() && !isSession() ? refuse('The user of the body', 'user') : undefined)
  )
}

function refuse(what: string, field: string): never {
  throw new BadRequestError(`${what} must be a name of at most 300 characters on one line.`, field)
}
