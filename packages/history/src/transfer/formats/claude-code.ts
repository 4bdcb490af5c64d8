import { isFields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { readBlocks } from './read-blocks.ts'
import type { Format, Item, PlacedFields, SourceMessage, SourceNode } from './source.ts'
import { has, placeFields } from './source.ts'
import { sign } from './unsigned-message.ts'

/** A session file of Claude Code. Only user prompts are placed by their parent: results of parallel calls part for good. */
export const claudeCode: Format = {
  name: 'Claude Code',
  prefix: 'claude-code',
  isWhole: true,
  matches: first =>
    has(first, 'sessionId', 'type') ||
    has(first, 'type', 'leafUuid') ||
    (has(first, 'type') && first.type === 'file-history-snapshot'),
  read(items) {
    const actors = new Map<string, CodeLine[]>()
    let [id, title]: [string | undefined, string | undefined] = [undefined, undefined]
    for (const item of items) {
      const line = placeFields(item)
      id ??= line.text('sessionId')
      title = titleIn(line) ?? title
      const uuid = line.text('uuid')
      if (uuid === undefined) continue
      const actor = actorOf(line)
      const lines = actors.get(actor) ?? []
      actors.set(actor, lines)
      addLine(lines, line, uuid)
    }
    const nodes = [...actors].flatMap(([actor, lines]) =>
      toNodes(lines).map(node => ({ ...node, actor })),
    )
    return { id, title, nodes, place: items[0]!.place }
  },
}

/** One line, or the lines of one answer: each has a thought, a text or a call of it. */
interface CodeLine {
  readonly line: PlacedFields
  readonly uuids: string[]
  readonly message: PlacedFields | undefined
  readonly blocks: Item[] | undefined
}

function addLine(lines: CodeLine[], line: PlacedFields, uuid: string): void {
  const { type } = line.fields
  const message = type === 'user' || type === 'assistant' ? line.needInner('message') : undefined
  const blocks = Array.isArray(message?.fields.content) ? message.items('content') : undefined
  const last = lines.at(-1)
  const isSame = message?.fields.id !== undefined && message.fields.id === last?.message?.fields.id
  if (last?.blocks && blocks && isSame && type === 'assistant') {
    for (const block of blocks) last.blocks.push(block)
    last.uuids.push(uuid)
  } else lines.push({ line, uuids: [uuid], message, blocks: blocks && [...blocks] })
}

function titleIn({ fields }: PlacedFields): string | undefined {
  const title =
    fields.customTitle ?? fields.aiTitle ?? (fields.type === 'summary' ? fields.summary : undefined)
  return typeof title === 'string' && title !== '' ? title : undefined
}

/** A subagent is an actor. */
function actorOf({ fields, text }: PlacedFields): string {
  if (fields.isSidechain !== true) return 'assistant'
  const agent = text('agentId')
  return agent === undefined || !/^[\w-]{1,100}$/.test(agent) ? 'agent' : `agent-${agent}`
}

function toNodes(lines: readonly CodeLine[]): readonly SourceNode[] {
  const nodes: SourceNode[] = []
  /** The turn of each line, and the last node of each turn. */
  const turns = new Map<string, number>()
  const ends: string[] = []
  for (const one of lines) {
    const { uuids } = one
    const { fields, place, text } = one.line
    const messages = readLine(one)
    const isPrompt = messages[0]?.message.role === 'user'
    const named = text('parentUuid', fields.logicalParentUuid ?? fields.parentUuid)
    const before = named === undefined ? undefined : turns.get(named)
    const parent = isPrompt && before !== undefined ? ends[before] : nodes.at(-1)?.id
    const turn = isPrompt || ends.length === 0 ? ends.length : ends.length - 1
    for (const uuid of uuids) turns.set(uuid, turn)
    // Lines without a message are known as parents, and are no nodes.
    if (messages.length === 0) continue
    ends[turn] = uuids[0]!
    nodes.push({ id: uuids[0]!, parent, messages, place })
  }
  return nodes
}

function readLine({ line, uuids, message, blocks }: CodeLine): readonly SourceMessage[] {
  if (!message) return []
  const { type, isMeta, isCompactSummary } = line.fields
  const { model } = message.fields
  const role = type === 'user' ? 'user' : 'assistant'
  const messages = readBlocks({
    role,
    content: blocks ?? message.text('content') ?? '',
    id: uuids[0]!,
  })
  // What the program says in the name of the user is no prompt.
  const isOurs = isMeta === true || isCompactSummary === true
  return sign(
    isOurs ? messages.map(one => ({ ...one, message: asSystem(one.message) })) : messages,
    {
      time: line.time('timestamp'),
      model: typeof model === 'string' && !model.startsWith('<') ? model : undefined,
    },
  )
}

const asSystem = (message: MessageLike): MessageLike =>
  message.role === 'user' && isFields(message) ? { ...message, role: 'system' } : message
