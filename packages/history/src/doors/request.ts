// The request that runs now: its messages and states.
export {
  appendToConversation,
  bindContext,
  currentState,
  getContext,
  rememberState,
  requireState,
  runWithContext,
} from '../request/request-context.ts'
