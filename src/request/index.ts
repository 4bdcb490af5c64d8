export {
  type CurrentStateOptions,
  currentState,
  type RequireStateOptions,
  rememberState,
  requireState,
} from './current-state.ts'
export {
  NoRequestContextError,
  OtherProjectError,
  StateMissingError,
  StateUndeclaredError,
} from './errors.ts'
export {
  appendToConversation,
  bindContext,
  bindStream,
  checkProject,
  getContext,
  hasContext,
  type RequestContext,
  runWithContext,
} from './request-context.ts'
