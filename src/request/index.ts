export { bindStream } from './bind-stream.ts'
export { checkProject } from './check-project.ts'
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
  getContext,
  hasContext,
  type RequestContext,
  runWithContext,
} from './request-context.ts'
