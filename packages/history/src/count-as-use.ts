/** Tells retention that it is being read. Not awaited: a read-only store or a full disk stops no reading. */
export const countAsUse = (
  { describe }: { describe(conversation: string, description: object): Promise<void> },
  conversation: string,
): void => void describe(conversation, {}).catch(() => undefined)
