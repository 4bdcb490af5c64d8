/** The id of an item of a reply, with its place in the output: `msg_<reply>_2`. */
export const itemId = (kind: ItemKind, reply: string, index: number): string =>
  `${kind}_${reply}_${index}`

/** The reply of an item that has an id of ours. */
export function replyOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined
  const [first, last] = [id.indexOf('_'), id.lastIndexOf('_')]
  return kinds.has(id.slice(0, first)) && first + 1 < last ? id.slice(first + 1, last) : undefined
}

export const responseId = (reply: string): string => `resp_${reply}`

export const replyOfResponse = (id: string): string => id.replace(/^resp_/, '')

type ItemKind = 'rs' | 'msg' | 'fc' | 'ctc' | 'tsc'

const kinds: ReadonlySet<string> = new Set<ItemKind>(['rs', 'msg', 'fc', 'ctc', 'tsc'])
