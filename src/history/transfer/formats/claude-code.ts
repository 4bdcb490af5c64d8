import { type Fields, isFields, readFields } from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import { readBlocks } from './read-blocks.ts'
import { optionalText, readTime, withKnown } from './read-parts.ts'
import { type Format, has, type Item, type SourceMessage, type SourceNode } from './source.ts'

/**
 * A session file of Claude Code. Lines name their parents, but results of parallel calls part and never meet again, so only
 * a prompt of the user is taken where its parent says: at the end of the turn that it follows.
 */
export const claudeCode: Format = {
  name: 'Claude Code',
  prefix: 'claude-code',
  isWhole: true,
  matches: first =>
    has(first, 'sessionId', 'type') ||
    has(first, 'type', 'leafUuid') ||
    (has(first, 'type') && first.type === 'file-history-snapshot'),
  read(items) {
    const actors = new Map<string, Line[]>()
    let [id, title]: [string | undefined, string | undefined] = [undefined, undefined]
    for (const item of items) {
      const { path } = item.place
      const line = readFields(item.value, path)
      id ??= optionalText(line.sessionId, `${path}.sessionId`)
      title = titleIn(line) ?? title
      const uuid = optionalText(line.uuid, `${path}.uuid`)
      if (uuid === undefined) continue
      const actor = actorOf(line, path)
      const lines = actors.get(actor) ?? []
      actors.set(actor, lines)
      addLine(lines, line, uuid, item)
    }
    const nodes = [...actors].flatMap(([actor, lines]) => toNodes(lines).map(node => ({ ...node, actor })))
    return { id, title, nodes, place: items[0]!.place }
  },
}

/** One line, or the lines of one answer: each has a thought, a text or a call of it. */
interface Line extends Pick<Item, 'place'> {
  readonly fields: Fields
  readonly uuids: string[]
  readonly message: Fields | undefined
  readonly blocks: unknown[] | undefined
}

function addLine(lines: Line[], fields: Fields, uuid: string, { place }: Item): void {
  const isSaid = fields.type === 'user' || fields.type === 'assistant'
  const message = isSaid ? readFields(fields.message, `${place.path}.message`) : undefined
  const content = Array.isArray(message?.content) ? message.content : undefined
  const last = lines.at(-1)
  const isSame = message?.id !== undefined && message.id === last?.message?.id
  if (last?.blocks && content && isSame && fields.type === 'assistant') {
    for (const block of content) last.blocks.push(block)
    last.uuids.push(uuid)
  } else lines.push({ fields, uuids: [uuid], message, blocks: content && [...content], place })
}

function titleIn(line: Fields): string | undefined {
  const title = line.customTitle ?? line.aiTitle ?? (line.type === 'summary' ? line.summary : undefined)
  return typeof title === 'string' && title !== '' ? title : undefined
}

/** A subagent is an actor. */
function actorOf(line: Fields, field: string): string {
  if (line.isSidechain !== true) return 'assistant'
  const agent = optionalText(line.agentId, `${field}.agentId`)
  return agent === undefined || !/^[\w-]{1,100}$/.test(agent) ? 'agent' : `agent-${agent}`
}

function toNodes(lines: readonly Line[]): readonly SourceNode[] {
  const nodes: SourceNode[] = []
  /** The turn of each line, and the last node of each turn. */
  const turns = new Map<string, number>()
  const ends: string[] = []
  for (const line of lines) {
    const { fields, uuids, place } = line
    const messages = readLine(line)
    const isPrompt = messages[0]?.message.role === 'user'
    const named = optionalText(fields.logicalParentUuid ?? fields.parentUuid, `${place.path}.parentUuid`)
    const before = named === undefined ? undefined : turns.get(named)
    const last = nodes.at(-1)?.id
    const parent = isPrompt && before !== undefined ? ends[before] : last
    const turn = isPrompt || ends.length === 0 ? ends.length : ends.length - 1
    for (const uuid of uuids) turns.set(uuid, turn)
    // Lines without a message are known as parents, and are no nodes.
    if (messages.length === 0) continue
    ends[turn] = uuids[0]!
    nodes.push({ id: uuids[0]!, parent, messages, place })
  }
  return nodes
}

function readLine({ fields, uuids, message, blocks, place: { path } }: Line): readonly SourceMessage[] {
  if (!message) return []
  const role = fields.type === 'user' ? 'user' : 'assistant'
  const field = `${path}.message.content`
  const list = blocks ?? optionalText(message.content, field) ?? ''
  const said = readBlocks({ role, list, field, id: uuids[0]! })
  // What the program says in the name of the user is no prompt.
  const isOurs = fields.isMeta === true || fields.isCompactSummary === true
  const time = readTime(fields.timestamp, `${path}.timestamp`)
  const isModel = typeof message.model === 'string' && !message.model.startsWith('<')
  return withKnown(isOurs ? said.map(one => ({ ...one, message: asSystem(one.message) })) : said, {
    time,
    ...(isModel && { model: message.model }),
  })
}

const asSystem = (message: MessageLike): MessageLike =>
  message.role === 'user' && isFields(message) ? { ...message, role: 'system' } : message
