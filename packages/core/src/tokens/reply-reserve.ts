/** What is known before a call about the reply that it will get. All tokens are the model's. */
interface ExpectedReply {
  readonly window: number
  /** The system prompt and the tools. */
  readonly head: number
  /** `Calibration.reply`: what the longest reply of the conversation asks for. */
  readonly likely?: number | undefined
  /** The most that the client asks for. */
  readonly asked?: number | undefined
}

/**
 * What to keep free for a reply: what is likely, not the most that a client would take. An eighth of the window; more where
 * replies of the conversation were longer, up to half of what the system prompt and the tools leave; less where these leave
 * little, or the client asks for less. It moves in coarse steps only, because each step moves the cut.
 */
export function replyReserve({ window, head, likely = 0, asked: requested }: ExpectedReply) {
  const step = Math.max(1, window / 16)
  const room = Math.max(0, window - Math.ceil(head / step) * step)
  const usual = Math.floor(Math.min(window / 8, room / 4))
  const most = Math.max(usual, Math.floor(Math.min(likely, room / 2)))
  if (requested !== undefined && requested <= most)
    return { reserve: Math.floor(requested), why: 'the most that was asked for' }
  if (most > usual)
    return {
      reserve: most,
      why: 'as long as the longest reply of this conversation, with room to spare',
    }
  const why =
    usual < Math.floor(window / 8)
      ? 'a quarter of what system prompt and tools leave'
      : 'an eighth of the window'
  return { reserve: most, why }
}

/** The reserve that a reply of this many tokens asks for: a third more, as a power of two. Undefined for a short reply. */
export function likelyReply(tokens: number): number | undefined {
  let reserve = shortest
  while (reserve < longest && reserve * fullShare < tokens) reserve *= 2
  return reserve > shortest ? reserve : undefined
}

/** The share of the reserve that a reply may fill; a longer reply asks for the next step. */
const fullShare = 3 / 4
const shortest = 512
/** No model writes more at once: a larger number is a fault of the provider. */
const longest = 2 ** 20
