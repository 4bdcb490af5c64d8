// What a model is, what it is asked, and the errors it ends with.
export { checkAddress, checkWindow, secretsOf } from '../check-options.ts'
export { leaveOutFiles } from '../leave-out.ts'
export {
  type EndReason,
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelFiles,
  type ModelPart,
  type ModelRequest,
  type ModelSettings,
  type ModelUsage,
  onlyThoughts,
  type ReplyBlocks,
  type ReplyCall,
  type ToolSpec,
} from '../model.ts'
export { repeatsSent } from '../quote-fault.ts'
export { readMedia } from '../read-media.ts'
export {
  type AskedServer,
  isSoundStatus,
  toSendError,
  toStatusError,
  toStreamError,
} from '../to-model-error.ts'
