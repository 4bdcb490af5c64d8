import type { TextPlace } from '../context/why/why-recall.ts'
import { cut, grouped, plural, windowName } from '../log/line.ts'

/** Why an answer forgot what one message had told: what a card shows. All tokens are the model's. */
export interface Card {
  /**
   * `cut`: left out to make room. `shortened`: sent as a line only. `unmatched`: the policy brings old messages back, and not
   * this one. `deleted`: by the client.
   */
  readonly kind: 'cut' | 'shortened' | 'unmatched' | 'deleted'
  /** The message that was needed. A deleted one has no text. */
  readonly told: {
    readonly seq: number
    readonly role: string
    readonly turn: number
    readonly text: string
    /** Where the words of the question stand in it. */
    readonly marks: readonly TextPlace[]
  }
  /** The question that needed it, with the answer. */
  readonly asked: {
    readonly turn: number
    readonly question: string
    readonly answer?: string | undefined
    readonly model?: string | undefined
  }
  /** The turns from the first to the last in which it was sent before it left. */
  readonly sent?: { readonly from: number; readonly to: number } | undefined
  /** The turn in which it left. */
  readonly left?: number | undefined
  /** The words that the question shares with it. */
  readonly shared: readonly string[]
  /** What was tried and would have sent it. */
  readonly cures: {
    /** The smallest larger window, and the policy that it needs where that is another one. */
    readonly window?: number | undefined
    readonly windowPolicy?: string | undefined
    /** Another policy in the same window. */
    readonly policy?: string | undefined
    /** What a pin takes. */
    readonly pin?: number | undefined
  }
  readonly context: {
    /** Messages: all of the log up to the question, and those of them that reached the model. */
    readonly all: number
    readonly sent: number
    readonly tokens: number
    /** Absent while it is unknown. */
    readonly window?: number | undefined
    readonly free: number
    readonly policy: string
    /** Of all messages up to the question, as `toFateText` writes them. */
    readonly fates: string
    /** The first message behind the cut. */
    readonly cut?: number | undefined
  }
}

/** All words of a card that are no one's message. */
export interface CardWords {
  readonly title: readonly [string, string]
  /** One sentence or two: why, and the cheapest cure. */
  readonly why: string
  readonly more: string
  /** On the ribbon, and at its break. */
  readonly sent: string
  readonly broken: string
  /** Under the log: the first part stands out. */
  readonly account: readonly [string, string]
}

export function cardWords(card: Card): CardWords {
  const { kind, sent, left, context } = card
  const [why, more] = kind === 'deleted' ? deletedWords : cureWords(card)
  const of = context.window === undefined ? '' : ` of ${grouped(context.window)}`
  return {
    title: ['It was told.', titleOf(card)],
    why,
    more,
    sent: sent
      ? sent.from === sent.to
        ? `sent in turn ${grouped(sent.from)}`
        : `sent in turns ${grouped(sent.from)} to ${grouped(sent.to)}`
      : '',
    broken:
      kind === 'unmatched'
        ? card.shared.length > 0
          ? 'others matched better'
          : 'no shared word'
        : left === undefined
          ? 'not sent'
          : `${verbs[kind]} at turn ${grouped(left)}`,
    account: [
      `${grouped(context.sent)} of ${plural(context.all, 'message').replace(/^\d+/, grouped(context.all))} reached the model`,
      [
        `${grouped(context.tokens)}${of} tokens`,
        context.window === undefined ? 'the window is unknown' : `${grouped(context.free)} free`,
        cut(context.policy, 40),
      ].join(' · '),
    ],
  }
}

const verbs = { cut: 'cut', shortened: 'shortened', deleted: 'deleted' } as const

const deletedWords = [
  'It is not sent, brought back or quoted again. The log still has it.',
  'This picture does not show its words.',
] as const

function titleOf({ kind, left, shared }: Card): string {
  const when = left === undefined ? '' : ` at turn ${grouped(left)}`
  switch (kind) {
    case 'cut':
      return left === undefined ? 'It was not sent.' : `It was cut${when}.`
    case 'shortened':
      return `It was shortened to a line${when}.`
    case 'unmatched':
      return shared.length > 0 ? 'Others matched better.' : 'Nothing in the question matched.'
    case 'deleted':
      return `The client deleted it${when}.`
  }
}

function cureWords({ kind, shared, cures, context }: Card): readonly [string, string] {
  const { window, windowPolicy, policy, pin } = cures
  const larger = window === undefined ? undefined : windowName(window)
  const withPolicy = windowPolicy === undefined ? '' : ` and the policy ${windowPolicy}`
  const price =
    pin === undefined
      ? ''
      : pin <= context.free
        ? `it costs ${plural(pin, 'token')}, and ${grouped(context.free)} were free`
        : `it costs ${plural(pin, 'token')}, which others would leave`
  const other =
    policy === undefined || context.window === undefined
      ? ''
      : `The policy ${policy} would have sent it at ${windowName(context.window)}.`
  if (kind === 'unmatched') {
    const reason =
      shared.length > 0
        ? 'The question asks more for other messages.'
        : 'The question and the message share no word.'
    const cure = price && ` Pin it: ${price}.`
    return [
      reason + cure,
      larger === undefined ? other : `A window of ${larger}${withPolicy} would have kept it.`,
    ]
  }
  const pinned = (begin: string) => price && `${begin} it: ${price}.`
  const change =
    larger !== undefined
      ? `a window of ${larger}${withPolicy}`
      : policy === undefined
        ? undefined
        : `the policy ${policy}`
  if (change === undefined) return [pinned('Pin') || 'No setting that was tried sends it.', '']
  const sent = `With ${change} it would have been sent.`
  return [sent + pinned(' Or pin'), larger === undefined ? '' : other]
}

/** Everything that a card says, for those who do not see it. */
export function cardText(card: Card, { isHidden = false } = {}): string {
  const { title, why, more, broken, account } = cardWords(card)
  const { told, asked, kind } = card
  const words = isHidden || kind === 'deleted' ? 'its words are hidden' : cut(told.text, 400)
  const answer = asked.answer === undefined ? '' : ` It answered: ${cut(asked.answer, 400)}`
  const question = isHidden ? '' : ` Turn ${asked.turn} asked: ${cut(asked.question, 400)}${answer}`
  const said = `#${told.seq}, turn ${told.turn}: ${words} (${broken}).${question}`
  return [...title, why, more, said, `${account[0]}: ${account[1]}.`].filter(Boolean).join(' ')
}
