// Chats of the library, their replies, and the words of their faults.
export { createChat } from '../create-chat.ts'
export { faultOf, type PlainFaultCode } from '../fault-of.ts'
export { createReply, type ReplyWork } from '../reply.ts'
