import { afterEach } from 'vitest'
import type { Upstream } from './upstream.ts'

const open: Upstream[] = []

afterEach(async () => {
  for (const upstream of open.splice(0)) await upstream.close()
})

/** An upstream that is closed after the test. */
export function opened(upstream: Upstream): Upstream {
  open.push(upstream)
  return upstream
}
