import { InvalidOptionError } from '@throughline/core/errors'
import type { ChatRequest } from '@throughline/models/dialects'
import { clean, type HeadersOf, nameIn, sessionOf, usableName } from '../identity/known-client.ts'

/** The person that headers name: ours, or those of Open WebUI. */
export function headerPerson(headers: HeadersOf): string | undefined {
  const name = ['x-throughline-person', 'x-openwebui-user-id'].find(one => headers[one]?.trim())
  return name && nameIn(headers[name], `The header ${name}`, name)
}

/** The person that a body names; undefined if it names none, or only a session. */
export function bodyPerson({
  named: { user = '' },
}: Pick<ChatRequest, 'named'>): string | undefined {
  if (user.trim() === '') return undefined
  if (sessionOf(user) === undefined) return nameIn(user, 'The user of the body', 'user')
  // The `user_id` of Claude Code holds the session too, which is left out.
  if (!user.startsWith('{')) return clean(user.slice(0, user.lastIndexOf('_session_')))
  const { account_uuid: account, device_id: device } = JSON.parse(user) as Readonly<
    Record<string, unknown>
  >
  return [account, device]
    .map(id => (typeof id === 'string' ? clean(id) : undefined))
    .find(id => id)
}

/** Refuses a name for a key or an import that no request could give: its conversations could never be read. */
export function checkNamed(person: string): void {
  if (clean(person) !== person) throw new InvalidOptionError('person', `expected ${usableName}`)
}
