import { BadRequestError, InvalidOptionError } from '../../log/error.ts'
import type { ChatRequest } from '../adapters/adapter.ts'
import { clean, type HeadersOf, sessionOf } from '../identity/known-client.ts'

// An invalid name is refused: without it, the request would count as that of the configured person, or of none.

/** The person that headers name: ours, or those of Open WebUI. */
export function headerPerson(headers: HeadersOf): string | undefined {
  const name = ['x-throughline-person', 'x-openwebui-user-id'].find(one => headers[one]?.trim())
  return name && (clean(headers[name]) ?? refuse(`The header ${name}`, name))
}

/** The person that a body names; undefined if it names none, or only a session. */
export function bodyPerson({ named: { user = '' } }: Pick<ChatRequest, 'named'>): string | undefined {
  if (user.trim() === '') return undefined
  if (sessionOf(user) === undefined) return clean(user) ?? refuse('The user of the body', 'user')
  // The `user_id` of Claude Code holds the session too, which is left out.
  if (!user.startsWith('{')) return clean(user.slice(0, user.lastIndexOf('_session_')))
  const { account_uuid: account, device_id: device } = JSON.parse(user) as Readonly<Record<string, unknown>>
  return [account, device].map(id => (typeof id === 'string' ? clean(id) : undefined)).find(id => id)
}

/** Refuses a name for a key or an import that no request could give: its conversations could never be read. */
export function checkNamed(person: string): void {
  if (clean(person) !== person) throw new InvalidOptionError('person', `expected ${usable}`)
}

const usable = 'a name of at most 300 characters on one line'

function refuse(what: string, field: string): never {
  throw new BadRequestError(`${what} must be ${usable}.`, field)
}
