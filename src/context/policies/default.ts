import { balanced } from './recall.ts'

/** The policy of `fit` by default: the stable cut, digests of what was cut, and balanced recall. */
export const defaultPolicy = balanced()
