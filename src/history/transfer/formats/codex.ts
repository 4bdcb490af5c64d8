import { type Fields, optional, readFields, readText } from '../../../log/fields.ts'
import { createItems, type TimedSaid } from './read-items.ts'
import { optionalText, readTime, withKnown } from './read-parts.ts'
import { type Format, has, type SourceNode } from './source.ts'

/** A session file of Codex (`rollout-….jsonl`), also in the older form without `payload`. */
export const codex: Format = {
  name: 'Codex',
  prefix: 'codex',
  isWhole: true,
  matches: first =>
    (has(first, 'type', 'payload') && first.type === 'session_meta') ||
    (has(first, 'id', 'timestamp', 'instructions') && !has(first, 'role')),
  read([head, ...lines]) {
    const { value, place } = head!
    const first = readFields(value, place.path)
    const meta = optional(first.payload, `${place.path}.payload`, readFields) ?? first
    const gathered = createItems()
    const nodes: SourceNode[] = []
    let model: string | undefined
    let where = place
    const add = (said: readonly TimedSaid[]) => {
      for (const { time, ...one } of said) {
        const messages = withKnown([one], { time, model })
        nodes.push({ id: `${nodes.length}`, parent: nodes.at(-1)?.id, messages, place: where })
      }
    }
    for (const { value, place } of lines) {
      where = place
      const line = readFields(value, place.path)
      const time = readTime(line.timestamp, `${place.path}.timestamp`)
      const [type, payload, field] = unwrap(line, place.path)
      if (type === 'response_item') add(gathered.take(payload, field, time))
      if (type === 'turn_context') model = optionalText(payload.model, `${field}.model`) ?? model
    }
    add(gathered.flush())
    return {
      id: optionalText(meta.id, `${place.path}.payload.id`),
      time: readTime(first.timestamp, `${place.path}.timestamp`),
      nodes,
      place,
    }
  },
}

/** A line's kind, what it says and where. In the older form the line is the item. */
function unwrap(line: Fields, field: string): readonly [type: string, payload: Fields, field: string] {
  if (line.payload === undefined) return [line.record_type === undefined ? 'response_item' : '', line, field]
  const where = `${field}.payload`
  return [readText(line.type, `${field}.type`), readFields(line.payload, where), where]
}
