/**
 * Says that a conversation is being read, so that retention keeps it. It is not awaited: a read-only store, or a full
 * disk, does not prevent reading.
 */
export const countAsUse = (
  { describe }: { describe(conversation: string, description: object): Promise<void> },
  conversation: string,
): void => void describe(conversation, {}).catch(() => undefined)
