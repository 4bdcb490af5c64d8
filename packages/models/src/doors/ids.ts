// Ids of replies, and the refusal of one that is unknown.
export { unknownId } from '../dialects/openai-error.ts'
export { replyOfResponse, responseId } from '../dialects/responses/ids.ts'
