import type { Receipt } from './receipt.ts'

/** The texts that the library added to a context, with the place of the message that each is, or was joined to. */
export const addedTexts = ({ sent }: Receipt) =>
  sent.flatMap((message, place) =>
    [message, ...(message.joined ?? [])].flatMap(({ part, text, tokens, why }) =>
      text === undefined ? [] : [{ part, place, text, tokens, why }],
    ),
  )
