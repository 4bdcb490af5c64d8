import type { Head, ThreadKey } from '../stores/store.ts'
import { NoBranchError } from '../stores/store-error.ts'

/** The branch that every thread begins with. */
export const mainBranch = 'main'

/** Refuses a branch that nobody forked: a misspelt name would answer from an empty history. */
export function checkBranch({ conversation, branch }: ThreadKey, head: Head | undefined): void {
  if (!head && branch !== mainBranch) throw new NoBranchError(conversation, branch)
}
