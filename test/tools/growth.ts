import { isLong } from './is-long.ts'
import { countSteps } from './steps/count-steps.ts'

/**
 * How the work grows with its input: 1 is linear, 2 quadratic. Two sizes of it are measured in steps, which are the same on
 * every machine. With THROUGHLINE_LONG the process's CPU time is measured: it also holds what no step stands for.
 * What reaches `notLinear` is not linear.
 */
export function growth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  {
    size,
    factor = isLong ? 8 : 4,
    tries = 4,
  }: { readonly size: number; readonly factor?: number; readonly tries?: number },
): number {
  const start = isLong ? size : Math.min(size, enough)
  const [small, large] = [make(start), make(start * factor)]
  // What is made only once is made before. The input is another, as what was read of this one may be remembered.
  work(make(Math.ceil(start / factor)))
  const measured = isLong
    ? leastTimes(work, small, large, { factor, tries })
    : { small: countSteps(() => work(small)), large: countSteps(() => work(large)) }
  return exponent(measured, factor)
}

/** A count of linear work hardly leaves 1; a clock does. */
export const notLinear = isLong ? 1.6 : 1.3

/** A clock needs large inputs to tell anything; a count does not. */
const enough = 2_000

interface Measured {
  readonly small: number
  readonly large: number
}

const exponent = ({ small, large }: Measured, factor: number) =>
  Math.log(large / small) / Math.log(factor)

/** The least of several tries: what else the machine does hardly counts. */
function leastTimes<Input>(
  work: (input: Input) => unknown,
  small: Input,
  large: Input,
  { factor, tries }: { readonly factor: number; readonly tries: number },
): Measured {
  const repeats = Math.max(1, Math.ceil(leastMs / Math.max(cpuMs(work, small, 1), 0.001)))
  let least: Measured = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let n = 0; n < tries; n += 1) {
    least = {
      small: Math.min(least.small, cpuMs(work, small, repeats) / repeats),
      large: Math.min(least.large, cpuMs(work, large, 1)),
    }
    if (exponent(least, factor) < 1.2) break
  }
  return least
}

/** Below this a clock says little: the small input is worked on again and again. */
const leastMs = 10

function cpuMs<Input>(work: (input: Input) => unknown, input: Input, repeats: number): number {
  const start = process.cpuUsage()
  for (let n = 0; n < repeats; n += 1) work(input)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
