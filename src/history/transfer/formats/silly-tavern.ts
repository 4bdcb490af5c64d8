import { type Fields, optional, readEach, readFields, readText } from '../../../log/fields.ts'
import {
  optionalText,
  readNames,
  readTime,
  readWrittenDate,
  type Said,
  toAssistant,
  toResult,
  toText,
  type WrittenDate,
  withFiles,
  withKnown,
} from './read-parts.ts'
import { type Format, has, type Item, type SourceMessage, type SourceNode } from './source.ts'

/** A chat file of SillyTavern: a header, then a message a line. Of several swipes the chosen one is taken. */
export const sillyTavern: Format = {
  name: 'SillyTavern',
  prefix: 'sillytavern',
  isWhole: true,
  matches: first =>
    has(first, 'chat_metadata') || has(first, 'user_name', 'character_name') || has(first, 'mes'),
  read(items) {
    const isHeaded = !has(items[0]!.value, 'mes')
    const header = isHeaded ? readFields(items[0]!.value, items[0]!.place.path) : {}
    const metadata = optional(header.chat_metadata, `${items[0]!.place.path}.chat_metadata`, readFields) ?? {}
    const said = isHeaded ? items.slice(1) : items
    const isGroup = namesIn(said).size > 1
    const nodes = said.map(
      (item, at): SourceNode => ({
        id: `${at}`,
        ...(at > 0 && { parent: `${at - 1}` }),
        messages: readLine(item, at, isGroup),
        place: item.place,
      }),
    )
    const name = toText(header.character_name)
    const created = toText(header.create_date)
    const id = optionalText(metadata.integrity, `${items[0]!.place.path}.chat_metadata.integrity`)
    return {
      id: id ?? (created === '' ? undefined : `${name} ${created}`),
      title: name === '' || name === 'unused' ? undefined : name,
      nodes,
      place: items[0]!.place,
    }
  },
}

/** The names of those who speak besides the user. */
function namesIn(items: readonly Item[]): ReadonlySet<unknown> {
  const names = new Set<unknown>()
  for (const { value } of items)
    if (has(value, 'name') && value.is_user !== true && value.is_system !== true) names.add(value.name)
  return names
}

function readLine(
  { value, place: { path: field } }: Item,
  at: number,
  isGroup: boolean,
): readonly SourceMessage[] {
  const line = readFields(value, field)
  const extra = optional(line.extra, `${field}.extra`, readFields) ?? {}
  const name = optionalText(line.name, `${field}.name`)
  const time = readDate(line.send_date, `${field}.send_date`)
  return withKnown(readSaid(), { time, name, model: extra.model })

  function readSaid(): readonly Said[] {
    if (extra.tool_invocations !== undefined)
      return readInvocations(extra.tool_invocations, `${field}.extra.tool_invocations`, at)
    const text = withFiles([readText(line.mes, `${field}.mes`)], filesOf(extra, `${field}.extra`))
    if (line.is_user === true || line.is_system === true)
      return text === '' ? [] : [{ message: { role: line.is_user ? 'user' : 'system', content: text } }]
    // In a group every answer is of another character.
    const spoken = isGroup && name !== undefined && text !== '' ? `${name}: ${text}` : text
    const message = toAssistant({ text: spoken, thinking: toText(extra.reasoning) })
    return message ? [{ message }] : []
  }
}

function filesOf(extra: Fields, field: string): readonly string[] {
  const one = optional(extra.file, `${field}.file`, readFields)
  return [
    ...(one ? readNames([one], `${field}.file`, 'name') : []),
    ...readNames(extra.files, `${field}.files`, 'name'),
    ...(typeof extra.image === 'string' && extra.image !== '' ? [lastPart(extra.image)] : []),
    ...readNames(extra.media, `${field}.media`, 'title', 'url'),
  ]
}

/** The last part of a path. A picture may also be its bytes, which have no name. */
const lastPart = (path: string): string =>
  path.startsWith('data:') ? 'image' : path.slice(path.lastIndexOf('/') + 1)

function readInvocations(value: unknown, field: string, at: number): readonly Said[] {
  const calls = readEach(value, field, (one, where) => ({
    id: optionalText(one.id, `${where}.id`) ?? `${at}${where.slice(field.length)}`,
    name: readText(one.name, `${where}.name`),
    arguments: one.parameters,
    result: toText(one.result),
  }))
  const asked = toAssistant({ calls })
  const results = calls.map(({ id, result }) => ({ message: toResult(id, result) }))
  return asked ? [{ message: asked }, ...results] : []
}

const withAt = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s ?(?:(\d{1,3})ms)?$/
const inWords =
  /^(?<month>[A-Za-z]{3,9}) (?<day>\d{1,2}), (?<year>\d{4}) (?<hour>\d{1,2}):(?<minute>\d{2})(?<half>am|pm)$/

/** SillyTavern has written dates in three ways: `2024-07-08@14h23m10s`, `June 19, 2023 2:20pm`, and as everybody does. */
function readDate(value: unknown, field: string): number | undefined {
  if (typeof value !== 'string') return readTime(value, field)
  const { groups } = inWords.exec(value) ?? {}
  if (groups) return readWrittenDate(groups as unknown as WrittenDate)
  const found = withAt.exec(value)
  if (!found) return readTime(value, field)
  const [year = 0, month = 0, day = 0, ...clock] = found.slice(1).map(digits => Number(digits ?? 0))
  return Date.UTC(year, month - 1, day, ...clock)
}
