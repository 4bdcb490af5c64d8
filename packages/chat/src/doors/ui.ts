// Requests and replies of `useChat`.
export { createCallNames } from '../ui/call-names.ts'
export { type EarlierMessage, readUIRequest, type UIRequest } from '../ui/read-ui-request.ts'
export { markEarlier } from '../ui/ui-place.ts'
export { createUIReplies } from '../ui/ui-replies.ts'
export { withMissed } from '../ui/with-missed.ts'
