/**
 * Says that a conversation is being read, so that retention keeps it. Nobody waits for it: a store that is only read, or a full
 * disk, keeps nobody from reading.
 */
export const countAsUse = (
  { describe }: { describe(conversation: string, description: object): Promise<void> },
  conversation: string,
): void => void describe(conversation, {}).catch(() => undefined)
