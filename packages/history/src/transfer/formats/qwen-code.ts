import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { attached, toText } from './source-text.ts'
import { gather, sign, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** A session file of Qwen Code: lines that name their parents, with messages in the form of Gemini (`parts`). */
export const qwenCode: Format = {
  name: 'Qwen Code',
  prefix: 'qwen-code',
  isWhole: true,
  matches: first =>
    has(first, 'sessionId', 'uuid', 'type') &&
    (first.type === 'tool_result' || has(first.message, 'parts') || has(first, 'systemPayload')),
  read(items) {
    const nodes: SourceNode[] = []
    const actors = new Map<string, string>()
    const calls: OpenCall[] = []
    let [id, title]: [string | undefined, string | undefined] = [undefined, undefined]
    for (const item of items) {
      const line = placeFields(item)
      const { place, text } = line
      id ??= text('sessionId')
      title = line.inner('systemPayload')?.text('customTitle') ?? title
      const uuid = text('uuid')
      if (uuid === undefined) continue
      const actor = line.fields.isSidechain === true ? agentOf(text('agentId')) : 'assistant'
      actors.set(uuid, actor)
      const named = text('parentUuid')
      // A subagent's first line names a parent in the thread that called it.
      const parent = named !== undefined && actors.get(named) === actor ? named : undefined
      const messages = sign(readLine(line, uuid, calls), {
        time: line.time('timestamp'),
        model: line.fields.model,
      })
      nodes.push({ id: uuid, parent, actor, messages, place })
    }
    return { id, title, nodes, place: items[0]!.place }
  },
}

const agentOf = (id: string | undefined) =>
  id === undefined || !/^[\w-]{1,100}$/.test(id) ? 'agent' : `agent-${id}`

/** A call that waits for its result: older files have no ids. */
interface OpenCall {
  readonly id: string
  readonly name: string
}

function readLine(line: PlacedFields, uuid: string, calls: OpenCall[]): readonly UnsignedMessage[] {
  const { type, subtype } = line.fields
  const parts = line.inner('message')?.each('parts') ?? []
  if (type === 'system') return []
  const role = type === 'assistant' ? 'assistant' : 'user'
  const gathered = gather({ role })
  for (const [at, part] of parts.entries()) {
    const { fields, inner } = part
    const call = inner('functionCall')
    const result = inner('functionResponse')
    const file = inner('inlineData') ?? inner('fileData')
    if (call && role === 'assistant') {
      const made = { id: call.text('id') ?? `${uuid}-${at}`, name: call.needText('name') }
      calls.push(made)
      gathered.call({ ...made, arguments: call.fields.args })
    } else if (result) gathered.add(toAnswer(result, calls))
    else if (file)
      gathered.text(attached(file.text('displayName') ?? file.text('mimeType') ?? 'file'))
    else if (fields.thought === true) gathered.thought(toText(fields.text))
    else if (fields.text !== undefined) gathered.text(toText(fields.text))
  }
  gathered.close()
  // What the program says in the name of the user is no prompt.
  const isOurs = type === 'user' && subtype !== undefined && subtype !== 'mid_turn_user_message'
  return isOurs ? gathered.messages.map(asSystem) : gathered.messages
}

function toAnswer({ fields, text }: PlacedFields, calls: OpenCall[]): UnsignedMessage {
  const named = text('id')
  const at = calls.findIndex(({ id, name }) =>
    named === undefined ? name === fields.name : id === named,
  )
  const [call] = at < 0 ? [] : calls.splice(at, 1)
  const id = call?.id ?? named ?? ''
  const { response } = fields
  if (has(response, 'error'))
    return { message: toResult(id, toText(response.error)), isError: true }
  return { message: toResult(id, toText(has(response, 'output') ? response.output : response)) }
}

const asSystem = (one: UnsignedMessage): UnsignedMessage =>
  one.message.role === 'user' ? { ...one, message: { ...one.message, role: 'system' } } : one
