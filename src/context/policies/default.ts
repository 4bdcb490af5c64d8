import { spongebob } from './spongebob.ts'

/** What `fit` does unless told otherwise. */
export const defaultPolicy = spongebob()
