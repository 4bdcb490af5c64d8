// Events and faults as HTTP carries them.
export type { HttpFault } from '../http-fault.ts'
export { oneLine, sse, sseComment, sseHeaders } from '../sse.ts'
