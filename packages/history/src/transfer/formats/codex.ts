import { gatherItems } from './read-blocks.ts'
import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { inRow, sign } from './unsigned-message.ts'

/** A session file of Codex (`rollout-….jsonl`), also in the older form without `payload`. */
export const codex: Format = {
  name: 'Codex',
  prefix: 'codex',
  isWhole: true,
  matches: first =>
    (has(first, 'type', 'payload') && first.type === 'session_meta') ||
    (has(first, 'id', 'timestamp', 'instructions') && !has(first, 'role')),
  read([head, ...items]) {
    const first = placeFields(head!)
    const gathered = gatherItems()
    const nodes: Pick<SourceNode, 'messages' | 'place'>[] = []
    let model: string | undefined
    const add = (place: SourceNode['place']) => {
      for (const one of gathered.messages.splice(0))
        nodes.push({ messages: sign([one], { model }), place })
    }
    for (const item of items) {
      const line = placeFields(item)
      const time = line.time('timestamp')
      const [type, payload] = unwrap(line)
      if (type === 'response_item') gathered.take(payload, time)
      add(item.place)
      if (type === 'turn_context') model = payload.text('model') ?? model
    }
    gathered.close()
    add(items.at(-1)?.place ?? first.place)
    return {
      id: (first.inner('payload') ?? first).text('id'),
      time: first.time('timestamp'),
      nodes: inRow(nodes),
      place: first.place,
    }
  },
}

/** A line's kind, and what it says. In the older form the line is the item. */
function unwrap(line: PlacedFields): readonly [type: string, payload: PlacedFields] {
  if (line.fields.payload === undefined)
    return [line.fields.record_type === undefined ? 'response_item' : '', line]
  return [line.needText('type'), line.needInner('payload')]
}
