import { onTestFinished } from 'vitest'
import type { Upstream } from './upstream.ts'

/** An upstream that is closed after the test. */
export function opened(upstream: Upstream): Upstream {
  onTestFinished(() => upstream.close())
  return upstream
}
