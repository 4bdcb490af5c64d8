import type { Fields } from '@throughline/core/fields'
import { readMessage } from '@throughline/core/messages'
import { isObject } from '@throughline/core/values'
import {
  type ChatRequest,
  clearEntries,
  type Fit,
  flatName,
  type Origin,
  type Patch,
  patchOf,
} from '@throughline/models/dialects'
import type { ReplyWire } from '@throughline/models/wire'
import { alignContext, type Fitted, type MessageStanding, type OwnStanding } from './align.ts'
import { spliceBody } from './splice-body.ts'

export interface ClientBody {
  /** The body as it came, unpacked. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly fields: Fields
}

export interface BodyInput extends Omit<Fit, 'isOwn' | 'tokens'> {
  readonly client: ClientBody
  readonly request: ChatRequest
  readonly wire: Pick<ReplyWire, 'form' | 'each' | 'mark'>
  readonly context: Fitted
}

/** The client's own bytes while its list is sent unchanged. Else only what differs is written: what left, what was added, cache marks. */
export function writeBody(input: BodyInput): Uint8Array<ArrayBuffer> {
  const { client, request, wire, context } = input
  const rules = patchOf(wire.form)
  const { standings, isWhole } = alignContext(context, request.messages)
  const system = systemOf(context, standings)
  const isSaid = system === (request.system ?? '')
  const entries = rawList(client.fields[rules.list])
  const isOwn = isWhole && isSaid && !entries.some(entry => rules.isForeign?.(entry))
  const always = {
    ...rules.always?.(client.fields, { ...input, isOwn, tokens: context.receipt.tokens }),
    ...(input.most !== undefined && rules.limit(client.fields, input.most)),
    ...(input.slot !== undefined && { id_slot: input.slot }),
    ...(input.tools && sentTools(client.fields, input.tools, input.isShort)),
  }
  const shorten = input.isShort && input.tools ? shortener(input.tools) : undefined
  const raw = shorten
    ? entries.map(entry => (holders.has(entry.type) ? shorten(entry) : entry))
    : entries
  const hasChanged = raw.some((entry, at) => entry !== entries[at])
  const toBytes = (body: Fields) => spliceBody(client.bytes, client.fields, body)
  if (isOwn) {
    if (Object.keys(always).length === 0 && !hasChanged) return client.bytes
    return toBytes({ ...client.fields, ...always, ...(hasChanged && { [rules.list]: raw }) })
  }
  const head = raw.slice(0, request.origins?.[0]?.first ?? raw.length)
  const { body, head: begun } = isSaid
    ? { body: client.fields, head }
    : withSystem(rules, client.fields, head, system, request.system ?? '')
  const rest = writeList(input, standings, raw, rules)
  const written = new Set(rest)
  const lost = raw
    .slice(head.length)
    .filter(entry => rules.isAlways?.(entry) && !written.has(entry))
  const list = [...begun, ...lost, ...rest]
  const changed = { ...body, ...always, [rules.list]: list }
  return toBytes(wire.mark?.(changed) ?? changed)
}

/** The client's tools in another order, or with shortened descriptions and schemas; all other fields stay. */
function sentTools(
  { tools: clientTools }: Fields,
  tools: readonly unknown[],
  isShort = false,
): Fields {
  if (!Array.isArray(clientTools)) return {}
  const places = new Map(tools.map((tool, place) => [schemaOf(tool).name, place]))
  const placeOf = (tool: unknown) => places.get(schemaOf(tool).name) ?? -1
  // Tools that the upstream runs have no place of their own: then the order is the client's.
  const isKnown =
    clientTools.length === tools.length && clientTools.every(tool => placeOf(tool) >= 0)
  const isMoved = isKnown && clientTools.some((tool, at) => placeOf(tool) !== at)
  if (!isMoved && !isShort) return {}
  const ordered = isMoved ? clientTools.toSorted((a, b) => placeOf(a) - placeOf(b)) : clientTools
  return { tools: isShort ? ordered.map(shortener(tools)) : ordered }
}

const schemaOf = (tool: unknown): Fields => {
  const fields = (tool ?? {}) as Fields
  return isObject(fields.function) ? fields.function : fields
}

/** Gives a tool of the client its shortened texts, also inside of a namespace or of an item of the list. */
function shortener(tools: readonly unknown[]): <Entry>(entry: Entry) => Entry {
  const byName = new Map(tools.map(tool => [schemaOf(tool).name, schemaOf(tool)]))
  return entry => shorten(entry, '')

  function shorten<Entry>(entry: Entry, namespace: string): Entry {
    if (!isObject(entry)) return entry
    const { type, tools: inner, name = '' } = entry
    if (Array.isArray(inner) && holders.has(type)) {
      const held = type === 'namespace' ? String(name) : ''
      return { ...entry, tools: inner.map(tool => shorten(tool, held)) }
    }
    const short = byName.get(
      namespace === '' ? schemaOf(entry).name : flatName({ namespace, name: String(name) }),
    )
    return short ? (withSchema(entry, short) as Entry) : entry
  }
}

/** What holds tools in the form of Responses. */
const holders: ReadonlySet<unknown> = new Set([
  'namespace',
  'additional_tools',
  'tool_search_output',
])

function withSchema(tool: Fields, short: Fields): Fields {
  if (isObject(tool.function)) return { ...tool, function: withSchema(tool.function, short) }
  const { description, parameters } = short
  const schema = ['parameters', 'input_schema'].find(name => isObject(tool[name]))
  return {
    ...tool,
    ...(typeof tool.description === 'string' && { description }),
    ...(schema && isObject(parameters) && { [schema]: parameters }),
  }
}

/** The entries of a client's list; a text alone is what a user says. */
function rawList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [{ role: 'user', content: value }]
}

function systemOf({ messages }: Fitted, standings: readonly MessageStanding[]): string {
  const texts = standings.flatMap(({ kind }, at) =>
    kind === 'system' ? [readMessage(messages[at]!, at).text] : [],
  )
  return texts.join('\n\n')
}

function withSystem(
  rules: Patch,
  body: Fields,
  head: readonly object[],
  system: string,
  prefix: string,
) {
  if (!system.startsWith(prefix)) return rules.setSystem(body, system)
  return rules.addSystem(body, head, system.slice(prefix.length).trimStart())
}

/** The client's list with what the context has of it, and what the context has besides. */
function writeList(
  { context, request, wire }: BodyInput,
  standings: readonly MessageStanding[],
  raw: readonly Fields[],
  rules: Patch,
): readonly object[] {
  const { origins = [] } = request
  let each: readonly (readonly object[])[] | undefined
  const written = (at: number) => {
    each ??= wire.each(context.messages)
    return each[at] ?? []
  }
  const list: object[] = []
  const add = (entries: readonly object[], isOwn: boolean) => {
    for (const entry of entries) {
      const joined = isOwn && !isOpen ? undefined : joinResults(list.at(-1), entry)
      if (joined) list[list.length - 1] = joined
      else list.push(entry)
      isOpen = !isOwn
    }
  }
  /** Whether the last entry of the list is not the client's own. */
  let isOpen = false
  const isOfEntry = (next: MessageStanding | undefined, { last }: Origin) =>
    next?.kind === 'own' && origins[next.place]!.last === last
  for (let at = 0; at < standings.length; ) {
    const standing = standings[at]!
    const from = at++
    if (standing.kind === 'system') continue
    if (standing.kind === 'other') {
      add(written(from), false)
      continue
    }
    const origin = origins[standing.place]!
    const entries = raw.slice(origin.first, origin.last + 1)
    const isForeign = entries.some(entry => rules.isForeign?.(entry))
    if (origin.blocks) {
      // The messages of one entry that are sent, in a row.
      const places = [from]
      while (isOfEntry(standings[at], origin)) places.push(at++)
      const entry = ofEntry(entries[0]!, places, origins, standings, written)
      add([entry], entry === entries[0])
    } else if (isForeign) add(written(from), false)
    else if (standing.change === 'cleared')
      add(clearEntries(entries, written(from) as readonly Fields[]), false)
    else if (standing.change) add(rules.change(entries, written(from)), false)
    else add(entries, true)
  }
  return list
}

/** The entry itself if all of its blocks are sent as they are, else a copy with those that are sent. */
function ofEntry(
  entry: Fields,
  places: readonly number[],
  origins: readonly Origin[],
  standings: readonly MessageStanding[],
  written: (at: number) => readonly object[],
): object {
  const content = entry.content as readonly Fields[]
  const sent = places.map(at => ({ at, ...(standings[at] as OwnStanding) }))
  if (sent.every(({ change }) => !change)) {
    const blocks = new Set(sent.flatMap(({ place }) => origins[place]!.blocks!))
    if (blocks.size === content.length) return entry
    return { ...entry, content: content.filter((_, at) => blocks.has(at)) }
  }
  const changed = sent.flatMap(({ at, place, change }) => {
    const clientBlocks = origins[place]!.blocks!.map(block => content[block]!)
    if (!change) return clientBlocks
    const blocks = written(at).flatMap(
      one => (one as { readonly content: readonly Fields[] }).content,
    )
    return change === 'cleared' ? clearEntries(clientBlocks, blocks) : blocks
  })
  return { ...entry, content: changed }
}

/** Results of calls of one reply must stand in one message. Undefined where nothing is to be joined. */
function joinResults(last: object | undefined, next: object): object | undefined {
  const [one, other] = [last, next].map(resultsIn)
  return one && other ? { ...last, content: [...one, ...other] } : undefined
}

/** The blocks of a user message that begins with results. */
function resultsIn(entry: object | undefined): readonly object[] | undefined {
  const { role, content } = (entry ?? {}) as Fields
  if (role !== 'user' || !Array.isArray(content)) return undefined
  return (content[0] as Fields | undefined)?.type === 'tool_result' ? content : undefined
}
