import { windowName } from '@throughline/core/values'
import type { SeenAnswer } from '../../api/queries.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { amountOf, count } from '../../parts/format.ts'

/** What became of a message whose text was not sent. */
const howSent = ({ fate, why }: NonNullable<SeenAnswer['match']>) =>
  fate === 'digested' || fate === 'cleared'
    ? 'was sent only as a short line'
    : `was not sent (${why})`

const quoted = (words: readonly string[]) =>
  words
    .slice(0, 5)
    .map(word => `“${word}”`)
    .join(', ')

interface SeenCall {
  /** Absent while it is unknown. */
  readonly window?: number | undefined
  readonly policy: string
  /** The turn in which the message was sent for the last time. */
  readonly left: number | undefined
}

/** What would have sent a message: `with thorough, or with 8k`; undefined where nothing that was tried does. */
function remedy(
  { would }: SeenAnswer,
  window: number | undefined,
  policy: string,
): string | undefined {
  const choices = would.map(one => {
    const names = [
      ...(one.policy === policy ? [] : [one.policy]),
      ...(one.window === window ? [] : [windowName(one.window)]),
    ]
    return `with ${names.join(' and ')}`
  })
  return choices.length === 0 ? undefined : choices.join(', or ')
}

/** What a call had of what its newest message asks for, in a sentence. */
export function verdictOf(
  answer: SeenAnswer,
  {
    window,
    policy,
    counts: { digested, cleared },
  }: Omit<SeenCall, 'left'> & Pick<TimelinePoint, 'counts'>,
): string {
  const shortened = digested + cleared
  const { match, omitted, free } = answer
  if (omitted === 0)
    return shortened === 0
      ? 'Everything that was said before was sent.'
      : `Everything that was said before was sent, ${amountOf(shortened, 'message')} only in short.`
  if (!match) return 'No earlier message matches the question.'
  if (match.isSent) return `Message #${match.entry} matches the question best, and was sent.`
  const held = `message #${match.entry}, which has ${quoted(match.words)}`
  if (match.rule === 'hidden') return `You have hidden ${held}.`
  const what =
    free > 0 ? `There was room for ${count(free)} tokens more, but ${held}` : `M${held.slice(1)}`
  const would = remedy(answer, window, policy)
  const otherwise =
    would !== undefined
      ? ` It would have been sent ${would}.`
      : window === undefined
        ? ''
        : ` No window up to ${windowName(8 * window)} would have sent it.`
  return `${what}, ${howSent(match)}.${otherwise}`
}

/** Whether a call had what is looked for, in a sentence. */
export function seenWords(
  answer: SeenAnswer,
  text: string,
  { window, policy, left }: SeenCall,
): string {
  const { match, unsaid } = answer
  if (!match) return `No message up to here has “${text.trim()}”.`
  const lacking = unsaid.length > 0 ? ` No message has ${quoted(unsaid)}.` : ''
  if (match.isSent)
    return `Yes: #${match.entry} has ${quoted(match.words)}, and was sent.${lacking}`
  const gone = left === undefined ? '' : ` It was last sent in turn ${left}.`
  const would = remedy(answer, window, policy)
  return `No: #${match.entry} has ${quoted(match.words)}, and ${howSent(match)}.${gone}${
    would === undefined ? '' : ` It would have been sent ${would}.`
  }${lacking}`
}
