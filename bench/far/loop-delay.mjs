// Loaded into a server before its own code: tells how late its event loop was, when it ends.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()
process.on('exit', () => {
  const ms = percent => Math.round(delays.percentile(percent) / 1e6)
  console.error(
    `loop-delay ${JSON.stringify({ p50: ms(50), p99: ms(99), most: Math.round(delays.max / 1e6) })}`,
  )
})
