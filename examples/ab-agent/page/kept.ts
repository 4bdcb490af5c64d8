import type { KeptBy, Message } from './message.ts'

/** The name of the conversation in this tab. */
export function nameOf(keptBy: KeptBy): string {
  const name = sessionStorage.getItem(`${keptBy} name`) ?? crypto.randomUUID()
  sessionStorage.setItem(`${keptBy} name`, name)
  return name
}

export async function load(keptBy: KeptBy): Promise<Message[]> {
  if (keptBy === 'browser')
    return JSON.parse(sessionStorage.getItem('messages') ?? '[]') as Message[]
  const response = await fetch(`/api/chat/${nameOf(keptBy)}`)
  // The conversation begins with the first message.
  if (response.status === 404) return []
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { readonly messages: Message[] }).messages
}

/** Keeps the conversation where a reload finds it again. What the database has is not kept here. */
export function keep(keptBy: KeptBy, messages: readonly Message[]): void {
  if (keptBy === 'browser') sessionStorage.setItem('messages', JSON.stringify(messages))
}

export function forget(keptBy: KeptBy): void {
  sessionStorage.removeItem(`${keptBy} name`)
  keep(keptBy, [])
}
