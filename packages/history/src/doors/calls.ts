// Stored calls of models: their plans, bodies and accounts.
export {
  type CallOutcome,
  loadPrompt,
  type StartedCall,
  type ThreadCall,
  toolsIn,
  toThreadCall,
} from '../calls/calls.ts'
export {
  endOf,
  fromPlan,
  isRun,
  type Plan,
  promptOf,
  type Run,
  roomOf,
  toItems,
} from '../calls/plan.ts'
export {
  givenPrompt,
  hasNotesInPrompt,
  type LateAccount,
  predictedIn,
  readPlan,
  sentIn,
  stretchesOf,
} from '../calls/read-plan.ts'
export {
  fromLog,
  hashOfBody,
  type SentBody,
  toSentBody,
  type WrittenBody,
} from '../calls/sent-body.ts'
export { type EntryRun, lackingIn, type ShadowAccount, wholeRuns } from '../calls/shadow-account.ts'
