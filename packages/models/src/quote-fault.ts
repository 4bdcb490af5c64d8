const longest = 300
/** A match of this many letters and digits with what was sent is no accident. */
const piece = 12
/** Shorter texts are too common to be kept secret. */
const shortest = 4

/** Quotes a provider's error on one short line, or nothing of it if it repeats what was sent: errors end up in logs. */
export function quoteFault(words: string, sent: readonly string[]): string {
  const line = showable(words, sent)
  return line === '' || line === leftOut ? line && ` ${line}` : `: "${line}"`
}

const leftOut = '(its words repeat what was sent and are left out)'

/** Like `quoteFault`, without quotation marks. */
function showable(words: string, sent: readonly string[]): string {
  const line = words.replace(/\s+/g, ' ').trim().slice(0, longest)
  return repeatsSent(line, sent) ? leftOut : line.replace(keys, '…')
}

/** What looks like a key: a known beginning of keys, or a very long row of letters and digits. */
const keys =
  /\b(?:sk|pk|rk|gsk|xai|hf|key)[-_][\w*-]{8,}|\bAIza[\w-]{8,}|(?<=\bBearer )[^\s"',;]+|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{28,}\b/gi

/** Whether a text repeats what was sent. Compares normalised texts: escapes and line breaks make no difference. */
export function repeatsSent(words: string, sent: readonly string[]): boolean {
  const quote = toWords(words)
  const texts = sent.map(toWords)
  const short = texts.filter(text => text.length >= shortest && join(text).length < piece)
  if (short.some(text => ` ${quote} `.includes(` ${text} `))) return true
  // With a gap, so that no match spans two texts.
  const all = texts.map(join).join(' ')
  const letters = join(quote)
  for (let at = 0; at + piece <= letters.length; at++)
    if (all.includes(letters.slice(at, at + piece))) return true
  return false
}

/** Letters and digits, with one blank for anything else. */
const toWords = (text: string) =>
  undoEscapes(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const join = (words: string) => words.replaceAll(' ', '')

/** Undoes the escapes of JSON, also of JSON in JSON, which a chain of servers makes. */
function undoEscapes(text: string): string {
  let plain = text
  for (let times = 0; times < mostTimes && plain.includes('\\'); times++)
    plain = plain.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code?: string, letter = '') =>
      code !== undefined
        ? String.fromCharCode(Number.parseInt(code, 16))
        : blanks.has(letter)
          ? ' '
          : letter,
    )
  return plain
}

const mostTimes = 6
const blanks: ReadonlySet<string> = new Set('nrtbf')

/** Fields of an error that never come from a request or a reply. */
const harmless: ReadonlySet<string> = new Set(
  'name message stack cause code errno syscall address port hostname'.split(' '),
)

/** A longer chain of causes is a circle. */
const deepest = 8

/** An error that is safe as a cause, for causes are printed too: itself, or a copy without the request, a reply or a key. */
export function safeCause(error: unknown, sent: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === deepest) return undefined
  const cause = safeCause(error.cause, sent, depth + 1)
  const message = quotesReply(error) ? '' : showable(error.message, sent)
  const isHarmless = Object.getOwnPropertyNames(error).every(name => harmless.has(name))
  if (isHarmless && message === error.message && cause === error.cause) return error
  const copy = new Error(message, cause && { cause })
  copy.name = error.name
  copy.stack = [`${copy.name}: ${copy.message}`, ...framesOf(error)].join('\n')
  return copy
}

/** Whether an error quotes a reply, as errors about unreadable JSON do. */
export function quotesReply(error: unknown): boolean {
  const { name } = (error ?? {}) as { name?: unknown }
  return (
    name === 'SyntaxError' ||
    /^AI_\w*(?:Parse|Validation|Response|Prompt|Generated)/.test(String(name))
  )
}

const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter(line => /^\s+at /.test(line))
