import { freeParts } from '@throughline/core/fates'
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
export const moneyOf = (tokens: number, price: Price): string =>
  price ? `, ${costOf(tokens, price)}` : ''

/** What tokens of a prompt cost. */
export function costOf(tokens: number, price: NonNullable<Price>): string {
  const money = (Math.abs(tokens) * price.amount) / 1_000_000
  const shown = money.toLocaleString('en', { maximumSignificantDigits: 2 })
  return `${shown} ${price.currency}`
}

/** What follows the tokens that were sent: `of 8,192 tokens`. */
export const ofWindow = (window: number | undefined): string =>
  window === undefined ? 'tokens, window unknown: nothing is cut' : `of ${count(window)} tokens`

type Cut = Pick<NonNullable<TimelinePoint['cut']>, 'turns' | 'growth' | 'recall'>

/** What the free tokens of a window are for, after a cut. The amounts add up to all that are free. */
export function keptFree(free: number, { turns, growth, recall }: Cut): string {
  const amounts = freeParts(free, { growth, recall })
  const span = turns > 0 ? `about ${amountOf(turns, 'more turn')}` : 'a part of the next turn'
  const parts = [
    amounts.turns > 0 && `${count(amounts.turns)} for ${span}, so that the prefix stays cached`,
    amounts.recall > 0 && `${count(amounts.recall)} for what is brought back`,
    amounts.rest > 0 && `${count(amounts.rest)} for anything`,
  ].filter(part => part !== false)
  return `${amountOf(free, 'token')} ${free === 1 ? 'is' : 'are'} free: ${parts.join(', ')}`
}

/** The same where something was cut, and something is free. */
export const whyFree = ({ cut, free }: Pick<TimelinePoint, 'cut' | 'free'>): string | undefined =>
  cut && free > 0 ? keptFree(free, cut) : undefined
