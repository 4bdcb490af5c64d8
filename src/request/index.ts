export {
  type CurrentStateOptions,
  currentState,
  type RequireStateOptions,
  rememberState,
  requireState,
} from './current-state.ts'
export {
  appendToConversation,
  bindContext,
  bindStream,
  checkProject,
  getContext,
  hasContext,
  NoRequestContextError,
  OtherProjectError,
  type RequestContext,
  runWithContext,
  StateMissingError,
  StateUndeclaredError,
} from './request-context.ts'
