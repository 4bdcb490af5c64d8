import { observable } from '../api/observable.ts'

/** Whether the command palette is open. */
export const palette = observable(false)
