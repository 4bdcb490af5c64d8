import { InvalidArgumentError } from 'commander'
import { toShare, toTime, toWhole } from '../config/number-text.ts'

// Readers of options that are numbers. Other values, such as an empty variable, are refused.

export const wholeNumber = (least = 0, most = Number.MAX_SAFE_INTEGER) =>
  numberOption(
    toWhole,
    [least, most],
    `a whole number${most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : `, ${least} or more`}`,
  )

export const share = numberOption(toShare, [0, 1], 'a number from 0 to 1')

/** Days where no unit stands. Gives milliseconds. Nothing is as young as 0: `forget --all` deletes everything. */
export const age = numberOption(
  text => toTime(text) ?? toTime(`${text}d`),
  [1000, Number.MAX_SAFE_INTEGER],
  'a number of days such as 90, or a time such as 12h',
)

function numberOption(
  read: (text: string) => number | undefined,
  [least, most]: readonly [least: number, most: number],
  wanted: string,
): (text: string) => number {
  return text => {
    const number = read(text)
    if (number !== undefined && number >= least && number <= most) return number
    throw new InvalidArgumentError(`Expected ${wanted}.`)
  }
}
