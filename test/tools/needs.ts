/** A problem that keeps tests from running on this machine, such as "there is no browser". */
type Problem = string | undefined

/** Continuous integration has all that the tests need: there a skipped test is a fault. */
export const isCi = (env: Readonly<Record<string, string | undefined>> = process.env): boolean =>
  env.CI === 'true'

/**
 * Why tests are skipped on this machine, printed once for each; undefined where they can run. In continuous integration (`CI=true`)
 * it throws instead.
 */
export function skipReason(tests: string, problem: Problem, env = process.env): Problem {
  if (problem === undefined) return undefined
  if (isCi(env)) throw new Error(`${tests} must be tested where CI=true is set: ${problem}`)
  console.warn(`Not tested: ${tests}: ${problem}`)
  return problem
}
