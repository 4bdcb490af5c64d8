/** What a mark of the server stands for, by its first letter. They are stored: a letter is never used again for something else. */
export const markKinds = {
  /** A list that agrees with the thread in everything, one from which its client left something out, and the words of either. */
  whole: 'c',
  less: 'v',
  words: 'b',
  /** A user message with what stands before it, and by itself. */
  pair: 'p',
  alone: 's',
  /** A call that was given to a client. */
  call: 'i',
  /** A call by which an agent's own conversation is found. */
  agent: 'a',
  /** The key of a request that may be sent again. */
  key: 'k',
} as const
