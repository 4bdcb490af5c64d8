import { type Fields, readFields, readList, readText, refuse } from '../../../log/fields.ts'
import type { Place } from '../import-error.ts'
import { optionalText, readWrittenDate, type WrittenDate, withFiles } from './read-parts.ts'
import { type Format, has, type SourceNode } from './source.ts'

/** LoCoMo's conversations of two people, in dated sessions; and the same as one list with a line that dates each session. */
export const locomo: Format = {
  name: 'LoCoMo',
  prefix: 'locomo',
  isWhole: false,
  matches: first => has(first, 'conversation', 'sample_id') || isDated(first),
  read([item]) {
    const { value, place } = item!
    const fields = readFields(value, place.path)
    const isList = fields.conversation === undefined
    return {
      id: optionalText(fields.sample_id ?? fields.id, `${place.path}.${isList ? 'id' : 'sample_id'}`),
      nodes: isList ? readDated(fields, place) : readSessions(fields, place),
      place,
    }
  },
}

const isDated = (first: unknown): boolean =>
  has(first, 'id', 'messages') && Array.isArray(first.messages) && has(first.messages[0], 'kind', 'text')

const dateForm =
  /(?<hour>\d{1,2}):(?<minute>\d{2}) (?<half>am|pm) on (?<day>\d{1,2}) (?<month>[A-Z][a-z]{2,8}),? (?<year>\d{4})/

/** `1:56 pm on 8 May, 2023`. */
function readDate(text: string): number | undefined {
  const { groups } = dateForm.exec(text) ?? {}
  return groups && readWrittenDate(groups as unknown as WrittenDate)
}

function readSessions(fields: Fields, place: Place & { readonly path: string }): readonly SourceNode[] {
  const field = `${place.path}.conversation`
  const conversation = readFields(fields.conversation, field)
  const asks = readText(conversation.speaker_a, `${field}.speaker_a`)
  const nodes: SourceNode[] = []
  for (let number = 1; conversation[`session_${number}`] !== undefined; number++) {
    const name = `${field}.session_${number}`
    const date = readText(conversation[`session_${number}_date_time`], `${name}_date_time`)
    const time =
      readDate(date) ?? refuse(`${name}_date_time`, 'must be a date such as "1:56 pm on 8 May, 2023"')
    for (const [at, one] of readList(conversation[`session_${number}`], name).entries()) {
      const path = `${name}[${at}]`
      const said = readFields(one, path)
      const speaker = readText(said.speaker, `${path}.speaker`)
      const text = `${speaker}: ${readText(said.text, `${path}.text`)}`
      const photo = optionalText(said.blip_caption, `${path}.blip_caption`)
      const content = photo === undefined ? text : withFiles([text, `[shared a photo: ${photo}]`], [])
      const message = { role: speaker === asks ? 'user' : 'assistant', content }
      nodes.push({
        id: optionalText(said.dia_id, `${path}.dia_id`) ?? path,
        parent: nodes.at(-1)?.id,
        messages: [{ message, time, data: { name: speaker } }],
        place: { line: place.line, path },
      })
    }
  }
  return nodes
}

function readDated(fields: Fields, place: Place & { readonly path: string }): readonly SourceNode[] {
  let time: number | undefined
  return readList(fields.messages, `${place.path}.messages`).map((one, at): SourceNode => {
    const path = `${place.path}.messages[${at}]`
    const { kind, role, text } = readFields(one, path)
    const content = readText(text, `${path}.text`)
    const date = kind === 'marker' ? readDate(content) : undefined
    time = date ?? time
    const message = { role: readText(role, `${path}.role`), content }
    return {
      id: `${at}`,
      ...(at > 0 && { parent: `${at - 1}` }),
      // A date is kept as the time of what follows.
      messages: date === undefined && content !== '' ? [{ message, time }] : [],
      place: { line: place.line, path },
    }
  })
}
