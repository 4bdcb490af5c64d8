import type { ReadAheadResult } from '../cache/create-read-ahead.ts'
import type { Served } from '../exchange/runner.ts'

/** Upper limits of the histogram, in seconds. */
const limits = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** The most values that are counted under a name of their own: clients choose names of models. */
const mostValues = 200

export function createMetrics() {
  const counters = new Map<string, Map<string, number>>()
  const seconds = new Map<string, { sum: number; count: number; readonly within: number[] }>()

  function add(name: string, labels: Readonly<Record<string, string>>, amount: number): void {
    const values = counters.get(name) ?? new Map<string, number>()
    counters.set(name, values)
    const full = toLabels(labels)
    const others = () =>
      toLabels(Object.fromEntries(Object.keys(labels).map(one => [one, 'other'])))
    const label = values.has(full) || values.size < mostValues ? full : others()
    values.set(label, (values.get(label) ?? 0) + amount)
  }

  function time(adapter: string, ms: number): void {
    const times = seconds.get(adapter) ?? { sum: 0, count: 0, within: limits.map(() => 0) }
    seconds.set(adapter, times)
    times.sum += ms / 1000
    times.count += 1
    const first = limits.findIndex(limit => ms / 1000 <= limit)
    for (let at = first; first >= 0 && at < limits.length; at++) times.within[at]! += 1
  }

  return {
    count({
      adapter,
      model = 'unknown',
      ms,
      answered,
      fault,
      unstored,
      reusable = 0,
      ...served
    }: Served): void {
      const upstream = served.upstream?.name ?? 'none'
      const { error, status, usage } = answered?.result ?? {}
      const outcome = fault?.code ?? (unstored ? 'unstored' : (error?.code ?? status ?? 'repeated'))
      add('throughline_requests_total', { adapter, outcome, upstream }, 1)
      if (unstored) add('throughline_unstored_total', { adapter, upstream }, 1)
      time(adapter, ms)
      const { promptTokens = 0, replyTokens = 0, cachedTokens = 0 } = usage ?? {}
      const tokens = { prompt: promptTokens, reply: replyTokens, cached: cachedTokens, reusable }
      for (const [kind, amount] of Object.entries(tokens))
        if (amount > 0) add('throughline_tokens_total', { model, kind, upstream }, amount)
    },
    /** Counts a prompt that was read ahead, or was to be. */
    readAhead({ upstream, outcome, tokens }: Omit<ReadAheadResult, 'conversation'>): void {
      add('throughline_read_ahead_total', { upstream, outcome }, 1)
      if (tokens > 0) add('throughline_read_ahead_tokens_total', { upstream }, tokens)
    },
    /** All metrics in Prometheus' text format. `gauges`: current values by name. */
    text(gauges: Readonly<Record<string, number>>): string {
      const lines: string[] = []
      for (const [name, value] of Object.entries(gauges))
        lines.push(`# TYPE ${name} gauge`, `${name} ${value}`)
      for (const [name, values] of counters) {
        lines.push(`# TYPE ${name} counter`)
        for (const [labels, value] of values) lines.push(`${name}{${labels}} ${value}`)
      }
      const name = 'throughline_request_seconds'
      if (seconds.size > 0) lines.push(`# TYPE ${name} histogram`)
      for (const [adapter, { sum, count, within }] of seconds) {
        const label = toLabels({ adapter })
        for (const [at, limit] of limits.entries())
          lines.push(`${name}_bucket{${label},le="${limit}"} ${within[at]}`)
        lines.push(`${name}_bucket{${label},le="+Inf"} ${count}`)
        lines.push(`${name}_sum{${label}} ${sum}`, `${name}_count{${label}} ${count}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}

/** `adapter="ollama",outcome="completed"`; values are cut, because clients choose them. */
function toLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.slice(0, 100).replace(/[\\"\n]/g, '_')}"`)
    .join(',')
}
