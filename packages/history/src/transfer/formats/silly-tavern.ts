import type { Fields } from '@throughline/core/fields'
import {
  type Format,
  has,
  type Item,
  type PlacedFields,
  placeFields,
  type SourceMessage,
} from './source.ts'
import { toText, withFiles } from './source-text.ts'
import {
  inRow,
  sayAnswer,
  sayText,
  sign,
  toResult,
  type UnsignedMessage,
} from './unsigned-message.ts'

/** A chat file of SillyTavern: a header, then a message a line. Of several swipes the chosen one is taken. */
export const sillyTavern: Format = {
  name: 'SillyTavern',
  prefix: 'sillytavern',
  isWhole: true,
  matches: first =>
    has(first, 'chat_metadata') || has(first, 'user_name', 'character_name') || has(first, 'mes'),
  read(items) {
    const { place } = items[0]!
    const isHeaded = !has(items[0]!.value, 'mes')
    const header = isHeaded ? placeFields(items[0]!) : undefined
    const lines = isHeaded ? items.slice(1) : items
    const characters = lines.filter(
      ({ value }) => has(value, 'name') && value.is_user !== true && value.is_system !== true,
    )
    const isGroup = new Set(characters.map(({ value }) => (value as Fields).name)).size > 1
    const name = toText(header?.fields.character_name)
    const created = toText(header?.fields.create_date)
    return {
      id:
        header?.inner('chat_metadata')?.text('integrity') ??
        (created === '' ? undefined : `${name} ${created}`),
      title: name === 'unused' ? undefined : name || undefined,
      nodes: inRow(
        lines.map((item, at) => ({ messages: readLine(item, at, isGroup), place: item.place })),
      ),
      place,
    }
  },
}

function readLine(item: Item, at: number, isGroup: boolean): readonly SourceMessage[] {
  const line = placeFields(item)
  const { is_user, is_system } = line.fields
  const extra = line.inner('extra')
  const name = line.text('name')
  return sign(messagesIn(), { time: readDate(line), name, model: extra?.fields.model })

  function messagesIn(): readonly UnsignedMessage[] {
    if (extra && extra.fields.tool_invocations !== undefined) return readInvocations(extra, at)
    const text = withFiles([line.needText('mes')], extra && filesOf(extra))
    if (is_user === true || is_system === true) return sayText(is_user ? 'user' : 'system', text)
    // In a group every answer is of another character.
    const spoken = isGroup && name !== undefined && text !== '' ? `${name}: ${text}` : text
    return sayAnswer({ text: spoken, thinking: toText(extra?.fields.reasoning) })
  }
}

function filesOf({ fields: { image }, inner, fileNames }: PlacedFields): readonly string[] {
  const file = inner('file')?.fields
  return [
    ...(file ? [typeof file.name === 'string' && file.name !== '' ? file.name : 'file'] : []),
    ...fileNames('files', 'name'),
    ...(typeof image === 'string' && image !== '' ? [lastPart(image)] : []),
    ...fileNames('media', 'title', 'url'),
  ]
}

/** The last part of a path. A picture may also be its bytes, which have no name. */
const lastPart = (path: string): string =>
  path.startsWith('data:') ? 'image' : path.slice(path.lastIndexOf('/') + 1)

function readInvocations({ each }: PlacedFields, at: number): readonly UnsignedMessage[] {
  const calls = each('tool_invocations').map(({ fields, text, needText }, number) => ({
    id: text('id') ?? `${at}[${number}]`,
    name: needText('name'),
    arguments: fields.parameters,
    result: toText(fields.result),
  }))
  const results = calls.map(({ id, result }) => ({ message: toResult(id, result) }))
  return calls.length > 0 ? [...sayAnswer({ calls }), ...results] : []
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const withAt =
  /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s ?(?:(\d{1,3})ms)?$/
const inWords = /^([A-Za-z]{3,9}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})(am|pm)$/

/** Dates are `2024-07-08@14h23m10s`, `June 19, 2023 2:20pm` (both read as UTC, as the file names no zone), or standard ones. */
function readDate({ fields: { send_date: date }, time }: PlacedFields): number | undefined {
  if (typeof date !== 'string') return time('send_date')
  const [, word, ...rest] = inWords.exec(date) ?? []
  if (word !== undefined) {
    const [day, year, hour, minute] = rest.map(Number) as [number, number, number, number]
    const month = Math.max(0, months.indexOf(word.slice(0, 3).toLowerCase()))
    return Date.UTC(year, month, day, (hour % 12) + (rest[4] === 'pm' ? 12 : 0), minute)
  }
  const numbers = withAt.exec(date)
  if (!numbers) return time('send_date')
  const [year = 0, month = 0, day = 0, ...clock] = numbers
    .slice(1)
    .map(digits => Number(digits ?? 0))
  return Date.UTC(year, month - 1, day, ...clock)
}
