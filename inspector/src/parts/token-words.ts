import type { AnswerOf } from '../api/client.ts'
import type { TimelinePoint } from '../api/timeline.ts'
import { amountOf, count } from './format.ts'

/** Where the tokens of a figure come from, for its tooltip. */
export const calibrationText = (factor = 1, reported?: number): string =>
  factor === 1
    ? `Tokens by our own count: ${reported === undefined ? 'the model has reported none' : 'it had reported none before'}.`
    : `Tokens of the model: our counts times ${Number(factor.toFixed(2))}, by what it has reported.`

type Price = AnswerOf<'get /server'>['price']

/** What tokens of a prompt cost, behind a comma; empty where no price is set. */
export const moneyOf = (tokens: number, price: Price): string => (price ? `, ${costOf(tokens, price)}` : '')

/** What tokens of a prompt cost. */
export function costOf(tokens: number, price: NonNullable<Price>): string {
  const money = (Math.abs(tokens) * price.amount) / 1_000_000
  const shown = money.toLocaleString('en', { maximumSignificantDigits: 2 })
  return `${shown} ${price.currency}`
}

/** What follows the tokens that were sent: `of 8,192 tokens`. */
export const ofWindow = (window: number | undefined): string =>
  window === undefined ? 'tokens, window unknown: nothing is cut' : `of ${count(window)} tokens`

/** Why a cut leaves room free, for the bar and for the panel of an entry. */
export const keptFree = ({ turns }: Pick<NonNullable<TimelinePoint['cut']>, 'turns'>): string =>
  `kept free for about ${amountOf(turns, 'more turn')}, so that the prefix stays cached`

/** The same as a sentence about a window; undefined where nothing was cut, or nothing is free. */
export const whyFree = ({ cut, free }: Pick<TimelinePoint, 'cut' | 'free'>): string | undefined =>
  cut && cut.turns > 0 && free > 0 ? `${amountOf(free, 'token')} ${keptFree(cut)}` : undefined
