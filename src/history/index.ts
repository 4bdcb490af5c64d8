export { createHistory, type History, type HistoryOptions } from './create-history.ts'
export type { LoggedMessage } from './logged-message.ts'
export type { Begun, CallInfo, Thread, ThreadContextOptions, ViewOptions } from './thread.ts'
export type { Turn } from './turn.ts'
