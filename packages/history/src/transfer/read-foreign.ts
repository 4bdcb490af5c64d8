import type { TokenCounter } from '@throughline/core/counters'
import { cut, hashOf } from '@throughline/core/values'
import { normalizeText, toEntry } from '../log/logged-message.ts'
import type { Format, Item, SourceConversation, SourceNode } from './formats/source.ts'
import { atPlace, InvalidImportError, noJson, toImportError } from './import-error.ts'
import { planBranches, type TreeNode } from './plan-branches.ts'
import type { ImportTarget, ReadConversation, ReadThread } from './read-conversation.ts'
import { readStoredTurns } from './stored-turns.ts'
import type { FileValue } from './values-in.ts'

export async function* readForeign(
  values: AsyncIterable<FileValue>,
  format: Format,
  target: ImportTarget,
  as: string | undefined,
): AsyncGenerator<ReadConversation> {
  let items: Item[] = []
  let list: number | undefined
  const names = new Set<string>()
  async function* read(): AsyncGenerator<ReadConversation> {
    if (items.length === 0) return
    const { place } = items[0]!
    const source = await atPlace(place, () => format.read(items))
    items = []
    const conversation = source && (await toConversation(source, format, target, as))
    if (!conversation) return
    // Lists without an id that say the same are one conversation.
    if (source.id === undefined && as === undefined && names.has(conversation.name)) return
    names.add(conversation.name)
    yield conversation
  }
  for await (const value of values) {
    const isOther = value.list?.number !== list
    if (items.length > 0 && (!format.isWhole || isOther)) yield* read()
    list = value.list?.number
    items.push(parseItem(value))
  }
  yield* read()
}

/** A value with its place: an item of a list by its number, a line by `$`. */
export function parseItem({ text, line, list }: FileValue): Item {
  const place = { line, path: list ? `$[${list.at}]` : '$' }
  try {
    return { value: JSON.parse(text), place }
  } catch (error) {
    throw new InvalidImportError(place, noJson, { cause: error })
  }
}

async function toConversation(
  source: SourceConversation,
  format: Format,
  { store, tenant, count, now }: ImportTarget,
  as: string | undefined,
): Promise<ReadConversation | undefined> {
  const { id, title, place, current } = source
  const actors = await growActors(source.nodes, count)
  const ids = [...actors.values()].flat().flatMap(({ entry }) => entry?.id ?? [])
  if (ids.length === 0) return undefined
  const name =
    as ?? `${format.prefix}-${await (id === undefined ? shortHash(ids.join(' ')) : plainName(id))}`
  const [info] = await store.conversations(tenant, { only: name, limit: 1 })
  const threads: ReadThread[] = []
  for (const [actor, nodes] of actors) {
    const stored =
      info && (await readStoredTurns(store, { tenant, conversation: name }, info, actor))
    const plan = { actor, current, stored, time: source.time ?? now() }
    await atPlace(place, () => {
      for (const thread of planBranches(nodes, plan)) threads.push(thread)
    })
  }
  // A title that was changed here stays. One that was never described comes from an import that broke off.
  const described =
    info && (info.title !== undefined || info.usedAt !== undefined)
      ? {}
      : { title: toTitle(title ?? firstPrompt(source)), metadata: { from: format.name } }
  return { name, place, description: { ...described, person: source.person }, threads }
}

const toTitle = (title: string | undefined): string | undefined =>
  title === undefined || title.trim() === '' ? undefined : cut(normalizeText(title), 300)

/** The first words of the user, where a program gives no title. */
function firstPrompt({ nodes }: SourceConversation): string | undefined {
  for (const { messages } of nodes)
    for (const { message } of messages)
      if (message.role === 'user' && typeof message.content === 'string')
        return cut(message.content, 80)
  return undefined
}

/** An id that can be part of a name as it is; the hash of any other. */
const plainName = async (id: string) => (/^[\w.:-]{1,200}$/.test(id) ? id : shortHash(id))

const shortHash = async (text: string) => (await hashOf(text)).slice(0, 32)

async function growActors(nodes: readonly SourceNode[], count: TokenCounter) {
  refuseWide(nodes)
  const actors = new Map<string, TreeNode[]>()
  const lasts = new Map<string, string>()
  for (const { id, messages } of nodes)
    lasts.set(id, messages.length > 1 ? partId(id, messages.length - 1) : id)
  for (const node of nodes) {
    const actor = node.actor ?? 'assistant'
    const grown = actors.get(actor) ?? []
    actors.set(actor, grown)
    let parent = node.parent === undefined ? undefined : (lasts.get(node.parent) ?? node.parent)
    if (node.messages.length === 0) grown.push({ id: node.id, parent, place: node.place })
    for (let at = 0; at < node.messages.length; at++) {
      const id = at === 0 ? node.id : partId(node.id, at)
      grown.push({ id, parent, place: node.place, entry: await makeEntry(node, at, count) })
      parent = id
    }
  }
  return actors
}

/** A conversation has few branches, and each ends in a node of its own. Told before anything is counted or hashed. */
const mostBranches = 1000

function refuseWide(nodes: readonly SourceNode[]): void {
  const parents = new Set(nodes.map(({ parent }) => parent))
  const ends = nodes.filter(({ id }) => !parents.has(id))
  if (ends.length > mostBranches)
    throw new InvalidImportError(
      ends[mostBranches]!.place,
      `it has more than ${mostBranches} branches.`,
    )
}

/** The id of a later message of the same node. NUL is in no id that came as text. */
const partId = (id: string, at: number): string => `${id}\0${at}`

/** The id of an entry is made of all that it says: the same message is found again, a changed one is another. */
async function makeEntry(node: SourceNode, at: number, count: TokenCounter) {
  const { message, data, time, isError } = node.messages[at]!
  const seen = { message, ...(data && { data }), ...(isError && { isError }) }
  try {
    const { role, payload, tokens } = toEntry(seen, { id: '', time: 0, count })
    const id = await shortHash(JSON.stringify([node.id, at, time ?? null, payload]))
    return { id, role, payload, tokens, time }
  } catch (error) {
    throw toImportError(node.place, error)
  }
}
