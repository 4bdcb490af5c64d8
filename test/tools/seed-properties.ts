import fc from 'fast-check'
import { isLong } from './is-long.ts'

// Vitest runs this file before every test file. `npm test` is the same run every time; the long run draws other cases, and a
// property that fails prints its seed.
if (!isLong) fc.configureGlobal({ seed: 1 })
