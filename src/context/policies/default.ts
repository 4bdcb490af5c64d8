import { balanced } from './recall.ts'

/** What `fit` does unless told otherwise: the stable cut, digests of what was cut, and balanced recall. */
export const defaultPolicy = balanced()
