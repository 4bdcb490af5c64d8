import type { ListedConversation } from '../../api/conversation-list.ts'
import type { ListSearch } from '../../parts/address.ts'
import { titleOf } from '../../parts/title-of.ts'
import { type Client, clientOf } from './client-of.ts'
import { standingOf } from './standing-of.ts'

/** The kinds of conversations that can be picked out, with their names in the address. */
export const kinds: readonly {
  readonly show: string
  readonly name: string
  readonly has: (one: ListedConversation) => boolean
}[] = [
  { show: 'live', name: 'Live', has: one => standingOf(one).status === 'live' },
  { show: 'trouble', name: 'With a warning', has: one => standingOf(one).isTrouble === true },
  {
    show: 'interrupted',
    name: 'Interrupted',
    has: one => ['interrupted', 'stopped'].includes(standingOf(one).status),
  },
  { show: 'experiments', name: 'From experiments', has: one => one.latest?.isExperiment === true },
  { show: 'first', name: 'First messages', has: one => one.provisional === true },
]

/** Whether a conversation is shown. */
export function createFilter({ show, client, q = '' }: ListSearch): (one: ListedConversation) => boolean {
  const kind = kinds.find(one => one.show === show)
  const words = toWords(q)
  return one =>
    (kind?.has(one) ?? true) &&
    (client === undefined || clientOf(one).id === client) &&
    (words.length === 0 || hasWords(one, words))
}

const toWords = (text: string) =>
  plain(text)
    .split(/\s+/)
    .filter(word => word !== '')

/** Every word must occur in the texts of the row. */
function hasWords(one: ListedConversation, words: readonly string[]): boolean {
  const { conversation, latest } = one
  const text = plain(
    [
      titleOf(one),
      conversation,
      latest?.begins,
      latest?.said?.text,
      latest?.call?.model,
      clientOf(one).name,
    ].join('\n'),
  )
  return words.every(word => text.includes(word))
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

export interface Amounts {
  readonly byKind: ReadonlyMap<string, number>
  readonly clients: readonly (Client & { readonly amount: number })[]
}

/** How many there are of each kind and of each client: the most frequent first. */
export function countAll(rows: readonly ListedConversation[]): Amounts {
  const byKind = new Map(kinds.map(({ show, has }) => [show, rows.filter(has).length]))
  const clients = new Map<string, Client & { amount: number }>()
  for (const row of rows) {
    const client = clientOf(row)
    const entry = clients.get(client.id)
    if (entry) entry.amount += 1
    else clients.set(client.id, { ...client, amount: 1 })
  }
  return { byKind, clients: [...clients.values()].sort((a, b) => b.amount - a.amount) }
}
