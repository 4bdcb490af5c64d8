/**
 * How the work grows with its input: 1 is linear, 2 quadratic. Two sizes in one run, measured in the process's own
 * CPU time, the least of several tries: what else the machine does hardly counts. Anything above 1.6 is not linear.
 */
export function growth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  {
    size,
    factor = 8,
    tries = 4,
  }: { readonly size: number; readonly factor?: number; readonly tries?: number },
): number {
  const [small, large] = [make(size), make(size * factor)]
  work(small)
  const repeats = Math.max(1, Math.ceil(leastMs / Math.max(cpuMs(work, small, 1), 0.001)))
  let least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let n = 0; n < tries; n += 1) {
    least = {
      small: Math.min(least.small, cpuMs(work, small, repeats) / repeats),
      large: Math.min(least.large, cpuMs(work, large, 1)),
    }
    if (exponent(least, factor) < 1.2) break
  }
  return exponent(least, factor)
}

/** Below this a clock says little: the small input is worked on again and again. */
const leastMs = 10

function cpuMs<Input>(work: (input: Input) => unknown, input: Input, repeats: number): number {
  const start = process.cpuUsage()
  for (let n = 0; n < repeats; n += 1) work(input)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const exponent = ({ small, large }: { small: number; large: number }, factor: number) =>
  Math.log(large / small) / Math.log(factor)
