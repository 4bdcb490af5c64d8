/**
 * What an application of rules offers its user, and reads in their words: one shape for all of them. Rules know few sentences.
 * So they show what they know as chips, and ask where they do not understand, instead of guessing.
 */
export interface Understanding<State, Intent> {
  /** Sentences that may be worth sending now, the most useful first. */
  readonly ideas: (state: State) => readonly string[]
  /** What a text wants. Undefined where it is not understood, or would be refused. */
  readonly read: (text: string, state: State) => Intent | undefined
}

/** More chips than this are not looked at. */
const mostChips = 7

/** The sentences that an application shows as chips. Each is sent word for word, and none would be refused. */
export function chipsFor<State, Intent>(
  { ideas, read }: Understanding<State, Intent>,
  state: State,
  most = mostChips,
): readonly string[] {
  const understood = ideas(state).filter(idea => read(idea, state) !== undefined)
  return [...new Set(understood)].slice(0, most)
}

const questions: readonly ((words: string) => string)[] = [
  words => `I do not understand “${words}”. What shall I do?`,
  words => `“${words}” is none of my sentences. Is it one of these?`,
  words => `I am rules, no language model, and cannot read “${words}”. Which of these comes close?`,
  words => `What do you mean by “${words}”? I did nothing.`,
]

/**
 * The answer to what was not understood: one question, and up to three chips that would work. `earlier`: what was answered before; the same
 * sentence is never said twice.
 */
export function askBack(
  text: string,
  chips: readonly string[],
  earlier: readonly string[] = [],
): string {
  const words = text
    .replace(/[\s“”]+/gu, ' ')
    .trim()
    .slice(0, 60)
  for (let round = 0; ; round++) {
    const question = questions[round % questions.length]!(words)
    const isSaid = (sentence: string) => earlier.some(answer => answer.includes(sentence))
    const numbered = round < questions.length ? question : `${question} (${round + 1})`
    if (isSaid(numbered) && round <= earlier.length) continue
    return chips.length === 0
      ? numbered
      : `${numbered}\n${tries}${chips
          .slice(0, 3)
          .map(chip => `“${chip}”`)
          .join(', ')}`
  }
}

const tries = 'Try: '

/** The chips of an answer that asked back. Empty for any other answer. */
export function chipsIn(answer: string): readonly string[] {
  const line = answer.split('\n').findLast(one => one.startsWith(tries))
  return line ? [...line.matchAll(/“([^“”]+)”/gu)].map(match => match[1]!) : []
}

/** The words of a text in small letters. Nobody needs more of them to say what they want. */
export function wordsIn(text: string, most = 80): readonly string[] {
  const plain = text.slice(0, 2000).normalize('NFC').replaceAll('’', "'").toLowerCase()
  return (plain.match(/[\p{L}\p{N}#]+(?:'\p{L}+)?/gu) ?? []).slice(0, most)
}

/** Words that may stand before a request and say nothing of it. */
export const courtesies: ReadonlySet<string> = new Set(
  (
    'please actually ok okay hey hi hello hm well so oh wait nice great good perfect cool thanks yes can could would you ' +
    'bitte gut schön por favor bien merci'
  ).split(' '),
)

/** Words that may stand behind a request and say nothing of it. */
const endings: ReadonlySet<string> = new Set(
  `${[...courtesies].join(' ')} now then again thank plait plaît s'il te vous jetzt mal maintenant danke`.split(
    ' ',
  ),
)

const flourishes =
  /\b(?:good (?:morning|evening|day)|guten (?:morgen|tag|abend)|bonjour|bonsoir|be so kind as to|do you think you could|is it possible to|i was wondering if you could|i'd like you to|be an angel and|(?:and |et )?(?:now|maintenant) (?=what|qu)|pouvez vous|peux tu|könntest du|kannst du bitte)\b/gu

/** A request without its courtesies and signs: what is left is what is wanted. */
export function bareText(text: string): string {
  const words = wordsIn(text).join(' ').replace(flourishes, ' ').split(' ').filter(Boolean)
  const first = words.findIndex(word => !courtesies.has(word))
  const last = words.findLastIndex(word => !endings.has(word))
  return first < 0 ? '' : words.slice(first, Math.max(last, first) + 1).join(' ')
}

/** Whether a text only asks something. "Can you make it blue?" asks for an act, and is no question. */
export function isQuestion(text: string): boolean {
  const bare = bareText(text)
  const isPolite =
    /\b(?:can|could|would|will|please|kannst|könntest|würdest|bitte|peux|pourrais|pouvez|plaît)\b/iu.test(
      text,
    )
  if (/^\W*(?:would|should|will|shall|could it) (?!you\b).*\?\s*$/i.test(text.slice(0, 500)))
    return true
  if (/\?\s*$/.test(text) && !isPolite && bare.split(' ').length > 5) return true
  if (/^(?:how|what) about (?:a|an|the|some)\b|^why not\b|^was anderes\b/.test(bare)) return false
  return (
    /^(?:what|what's|which|why|who|where|when|how|is|are|was|were|did|does|has|wie|warum|wieso|welche[rs]?|wer|wo|ist|hast|wurde|que|quoi|quel|quelle|pourquoi|comment|qui|où|combien|qu'est|est)\b/u.test(
      bare,
    ) || /^(?:do|have) (?:you|i|we|they)\b|^say (?:that|it)\b/.test(bare)
  )
}

/** Whether a text forbids or doubts something: then no word in it is an order. "Not so fast" only measures. */
export function isNegated(text: string): boolean {
  const words = wordsIn(text)
    .join(' ')
    .replace(/\b(?:not|nicht|pas) (?:so|too|zu|si|trop)\b/g, '')
  return /\b(?:not|no|nope|never|don't|doesn't|didn't|won't|can't|cannot|isn't|wasn't|wouldn't|shouldn't|nothing|nobody|nicht|nichts|kein|keine|keinen|nie|nein|pas|jamais|rien|non|ne)\b/u.test(
    words,
  )
}
