export type { CurrentStateOptions, RequestContext, RequireStateOptions } from './request-context.ts'
export {
  appendToConversation,
  bindContext,
  bindStream,
  checkProject,
  currentState,
  getContext,
  hasContext,
  NoRequestContextError,
  OtherProjectError,
  rememberState,
  requireState,
  runWithContext,
  StateMissingError,
  StateUndeclaredError,
} from './request-context.ts'
