import { afterAll } from 'vitest'
import { closeAll } from './after-file.ts'

// Vitest runs this file before every test file.
afterAll(closeAll)
