/** What the sentences of a language look like that are meant to hold for the rest of a conversation. All texts are folded. */
export interface RuleForms {
  /** Words without which no sentence of a text can be such a rule: most texts are not read any further. */
  readonly mayRule: RegExp
  /** Whether a sentence only says that the next one holds from now on. */
  isLead(sentence: string): boolean
  isRule(sentence: string): boolean
}

/** Parts of the sentences of a language, each of them enough for one way to lay down a rule. */
export interface RuleParts {
  readonly mayRule: RegExp
  /** Says for how long something holds, as "from now on" does. */
  readonly lasting: RegExp
  /** Says that something holds each time, as "always", "never" or "every reply" does. */
  readonly wide: RegExp
  /** An order to the one who is spoken to. */
  readonly order: RegExp
  /** The speaker tells of themselves, or of others. */
  readonly tells: RegExp
}

/** A sentence is a rule if it orders something, and says that it lasts or holds each time. */
export function formsOf({ mayRule, lasting, wide, order, tells }: RuleParts): RuleForms {
  const isLetter = /[\p{L}\p{N}]/gu
  return {
    mayRule,
    isLead: sentence =>
      lasting.test(sentence) && (sentence.replace(lasting, '').match(isLetter) ?? []).length < 3,
    isRule: sentence =>
      (lasting.test(sentence) || wide.test(sentence)) &&
      order.test(sentence) &&
      !tells.test(sentence),
  }
}
