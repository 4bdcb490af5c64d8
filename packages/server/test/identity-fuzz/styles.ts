import type { AdapterName, Part, Reply, Said } from './adapters.ts'

/** What a kind of client makes of its list before it sends it. */
export interface Style {
  readonly name: string
  readonly send: (list: readonly Said[]) => readonly Said[]
  /** What it leaves out: twins that differ only in this cannot be told apart. */
  readonly leavesOut?: 'files' | 'arguments' | 'results' | 'rounds' | 'front'
  /** Default: all. */
  readonly adapters?: readonly AdapterName[]
  /** Whether it names its conversation. */
  readonly isNamed?: boolean
  /** Whether its system prompt comes and goes. */
  readonly dropsSystem?: boolean
  /** Whether its conversations have no calls. */
  readonly isPlain?: boolean
}

/** The first message that is new: what stands before it was sent before. */
const freshFrom = (list: readonly Said[]) =>
  list.findLastIndex(({ role }) => role === 'assistant') + 1

/** Changes the messages that were sent before. */
const older = (change: (said: Said) => Said) => (list: readonly Said[]) => {
  const fresh = freshFrom(list)
  return list.map((said, at) => (at < fresh ? change(said) : said))
}

const replies = (change: (reply: Reply) => Reply) =>
  older(said => (said.role === 'assistant' ? change(said) : said))

const parts = (change: (part: Part) => readonly Part[]) =>
  older(said => (said.role === 'user' ? { ...said, parts: said.parts.flatMap(change) } : said))

const results = (change: (text: string) => string) =>
  older(said => (said.role === 'tool' ? { ...said, text: change(said.text) } : said))

const texts = (change: (text: string) => string) =>
  older(said => {
    if (said.role !== 'user') return { ...said, text: change(said.text) }
    return {
      ...said,
      parts: said.parts.map(part => ('text' in part ? { text: change(part.text) } : part)),
    }
  })

/** The last exchanges, and the turn that is being answered. */
const exchanges = (count: number) => (list: readonly Said[]) => {
  const users = list.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  return list.slice(users.at(-1 - count) ?? 0)
}

/** Makes other messages of what was said between two messages of a user, in the turns that are over. */
const turns = (change: (said: readonly Said[]) => readonly Said[]) => (list: readonly Said[]) => {
  const users = list.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  return users.flatMap((at, turn) => {
    const next = users[turn + 1]
    const said = list.slice(at + 1, next)
    return [list[at]!, ...(next === undefined ? said : change(said))]
  })
}

const repliesIn = (said: readonly Said[]) => said.filter(one => one.role === 'assistant')

const isFile = (part: Part) => !('text' in part)

const reordered = (input: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(input) as object).reverse()), null, 2)

const withCalls = (change: (input: string) => string) =>
  replies(said => ({
    ...said,
    calls: said.calls.map(call => ({ ...call, input: change(call.input) })),
  }))

const placeholders = [
  '[image]',
  '(image omitted)',
  '[Referenced image in conversation]',
  '[Attached file: a.pdf]',
]

export const styles: readonly Style[] = [
  { name: 'everything', send: list => list },
  { name: 'everything, named', send: list => list, isNamed: true },
  { name: 'the system prompt comes and goes', send: list => list, dropsSystem: true },
  { name: 'one exchange', send: exchanges(1), leavesOut: 'front' },
  { name: 'two exchanges', send: exchanges(2), leavesOut: 'front' },
  { name: 'five exchanges', send: exchanges(5), leavesOut: 'front' },
  { name: 'four messages', send: list => list.slice(-4), leavesOut: 'front', isPlain: true },
  { name: 'nine messages', send: list => list.slice(-9), leavesOut: 'front', isPlain: true },
  {
    name: 'the middle cut out',
    send: list => (list.length < 9 ? list : [...list.slice(0, 2), ...list.slice(-5)]),
    ...{ leavesOut: 'front', isPlain: true },
  },
  {
    name: 'the first exchange and the last one',
    send: list => (list.length < 7 ? list : [...list.slice(0, 2), ...list.slice(-3)]),
    ...{ leavesOut: 'front', isPlain: true },
  },
  {
    name: 'the last step of a turn',
    send: turns(said => repliesIn(said).slice(-1)),
    leavesOut: 'rounds',
  },
  {
    name: 'texts only',
    send: turns(said => repliesIn(said).map(reply => ({ ...reply, calls: [] }))),
    leavesOut: 'rounds',
  },
  {
    name: 'texts of a turn in one',
    send: turns(said => {
      const text = repliesIn(said)
        .map(reply => reply.text)
        .join('\n\n')
      return [{ role: 'assistant', text, thinking: '', calls: [] }]
    }),
    leavesOut: 'rounds',
  },
  { name: 'no thoughts', send: replies(said => ({ ...said, thinking: '' })) },
  {
    name: 'thoughts in the text',
    send: replies(said =>
      said.thinking === ''
        ? said
        : { ...said, thinking: '', text: `<think>${said.thinking}</think>\n\n${said.text}` },
    ),
    adapters: ['openai', 'ollama'],
  },
  {
    name: 'unsigned thoughts as text',
    send: replies(said => ({ ...said, thinking: '', text: said.thinking + said.text })),
    adapters: ['messages'],
  },
  {
    name: 'no text beside calls',
    send: replies(said => (said.calls.length > 0 ? { ...said, text: '' } : said)),
  },
  {
    name: 'other ids',
    send: list =>
      list.map(said => {
        if (said.role === 'tool') return { ...said, id: `mine_${said.id}` }
        if (said.role === 'user') return said
        return { ...said, calls: said.calls.map(call => ({ ...call, id: `mine_${call.id}` })) }
      }),
    adapters: ['openai', 'responses', 'messages'],
  },
  {
    name: 'arguments in another order',
    send: withCalls(reordered),
    adapters: ['openai', 'responses'],
  },
  { name: 'no arguments', send: withCalls(() => '{}'), leavesOut: 'arguments' },
  { name: 'no old files', send: parts(part => (isFile(part) ? [] : [part])), leavesOut: 'files' },
  {
    name: 'marks in place of old files',
    send: list => {
      const mark = placeholders[list.length % placeholders.length]!
      return parts(part => [isFile(part) ? { text: mark } : part])(list)
    },
    leavesOut: 'files',
  },
  {
    name: 'only the newest file',
    send: list => {
      const last = list.findLastIndex(said => said.role === 'user' && said.parts.some(isFile))
      return list.map((said, at) =>
        said.role === 'user' && at < last
          ? { ...said, parts: said.parts.filter(part => !isFile(part)) }
          : said,
      )
    },
    leavesOut: 'files',
  },
  {
    name: 'clipped results',
    send: results(text => (text.length > 400 ? `${text.slice(0, 300)}\n... [truncated]` : text)),
    leavesOut: 'results',
  },
  {
    name: 'results without their middle',
    send: results(text =>
      text.length > 400
        ? `${text.slice(0, 150)}\n[… 900 characters omitted …]\n${text.slice(-150)}`
        : text,
    ),
    leavesOut: 'results',
  },
  {
    name: 'cleared results',
    send: list => {
      const done = freshFrom(list) - 4
      return list.map((said, at) =>
        said.role === 'tool' && at < done
          ? { ...said, text: '[Old tool result content cleared]' }
          : said,
      )
    },
    leavesOut: 'results',
  },
  { name: 'decomposed letters', send: texts(text => text.normalize('NFD')) },
  { name: 'composed letters', send: texts(text => text.normalize('NFC')) },
  { name: 'trimmed', send: texts(text => text.trim().replaceAll('\n', '\r\n')) },
  {
    name: 'joined texts',
    send: older(said => {
      if (said.role !== 'user') return said
      const joined = said.parts.flatMap(part => ('text' in part ? [part.text] : [])).join('\n\n')
      return { ...said, parts: [{ text: joined }, ...said.parts.filter(isFile)] }
    }),
  },
]
