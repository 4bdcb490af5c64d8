const longest = 300
/** So many letters and digits in a row, found in what was sent, are no accident. */
const piece = 12
/** A text that is shorter is too common a word to be kept secret. */
const shortest = 4

/**
 * A provider's words for an error message: one short line. Some servers repeat what they were sent; then nothing of it
 * is shown, because errors end up in logs.
 */
export function quoteFault(words: string, sent: readonly string[]): string {
  const line = showable(words, sent)
  return line === '' || line === leftOut ? line && ` ${line}` : `: "${line}"`
}

const leftOut = '(its words repeat what was sent and are left out)'

/** The same without quotation marks. */
export function showable(words: string, sent: readonly string[]): string {
  const line = words.replace(/\s+/g, ' ').trim().slice(0, longest)
  return repeats(line, sent) ? leftOut : line.replace(keys, '…')
}

/** What looks like a key: by how keys begin, or letters and digits without end. */
const keys =
  /\b(?:sk|pk|rk|gsk|xai|hf|key)[-_][\w*-]{8,}|\bAIza[\w-]{8,}|(?<=\bBearer )[^\s"',;]+|\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{28,}\b/gi

/** Both sides in one form: how a server writes what it repeats, and where it breaks its lines, makes no difference. */
function repeats(line: string, sent: readonly string[]): boolean {
  const said = toWords(line)
  const texts = sent.map(toWords)
  const short = texts.filter(text => text.length >= shortest && join(text).length < piece)
  if (short.some(text => ` ${said} `.includes(` ${text} `))) return true
  // With a gap between them: no piece is made of the end of one text and the beginning of another.
  const all = texts.map(join).join(' ')
  const letters = join(said)
  for (let at = 0; at + piece <= letters.length; at++)
    if (all.includes(letters.slice(at, at + piece))) return true
  return false
}

/** Letters and digits, with one blank wherever something else stood. */
const toWords = (text: string) =>
  undoEscapes(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const join = (words: string) => words.replaceAll(' ', '')

/** Undoes the escapes of JSON, also of JSON in JSON: the most that a chain of servers makes of it. */
function undoEscapes(text: string): string {
  let plain = text
  for (let times = 0; times < mostTimes && plain.includes('\\'); times++)
    plain = plain.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code?: string, letter = '') =>
      code === undefined
        ? blanks.has(letter)
          ? ' '
          : letter
        : String.fromCharCode(Number.parseInt(code, 16)),
    )
  return plain
}

const mostTimes = 6
const blanks: ReadonlySet<string> = new Set('nrtbf')
