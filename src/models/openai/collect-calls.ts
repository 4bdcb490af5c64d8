import type { ModelPart } from '../model.ts'

/** A piece of a tool call, as it comes in a stream. */
export interface CallDelta {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown }
}

type CallPart = Extract<ModelPart, { type: 'tool-call' }>

interface Open {
  id: string
  name: string
  text: string
}

/** Joins the pieces of tool calls. */
export function collectCalls(): { add(delta: CallDelta): void; calls(): readonly CallPart[] } {
  const open: Open[] = []
  /** The newest call of each index. */
  const numbered = new Map<number, Open>()

  function find({ index, id }: CallDelta): Open {
    const known = index === undefined ? open.at(-1) : numbered.get(index)
    // Some servers give every call the index 0, or none: then a new id begins a new call.
    const isNew = !known || (id && known.id !== '' && known.id !== id)
    if (!isNew) return known
    const call: Open = { id: '', name: '', text: '' }
    open.push(call)
    if (index !== undefined) numbered.set(index, call)
    return call
  }

  return {
    add(delta) {
      const call = find(delta)
      // The name comes in one piece, from some servers again with every piece.
      call.id ||= delta.id ?? ''
      call.name ||= delta.function?.name ?? ''
      const more = delta.function?.arguments ?? ''
      call.text += typeof more === 'string' ? more : JSON.stringify(more)
    },
    calls: () =>
      open.map(({ id, name, text }, at) => ({
        type: 'tool-call',
        id: id || `call_${at + 1}`,
        name,
        // A call of a tool without parameters may have no arguments.
        arguments: text || '{}',
      })),
  }
}
