// Waits.
export { sleep } from '../sleep.ts'
