import { availableParallelism, loadavg } from 'node:os'
import { formatMs, formatTable } from '../lib/table.mjs'

/** Times are called flat if the medians of the first and the last turns are this close. */
const flat = 1.25
const mostOfText = 2
const leastOfRaw = 0.5

/** `lines`: subjects with their results, in the order in which they ran. */
export function report(lines) {
  const head = [
    'subject',
    'turns',
    'first 50, a turn',
    'last 50, a turn',
    '×',
    'on disk',
    '/ text',
    'appends/s',
    'of raw',
  ]
  const measured = lines.filter(({ result }) => !result.skipped)
  const skipped = lines.filter(({ result }) => result.skipped)
  return [
    formatTable([head, ...measured.map(({ subject, result }) => cells(subject, result))]),
    '',
    'A turn: the mean (and the median); ×: the last median by the first. On disk: all files after a close or checkpoint.',
    ...measured
      .filter(({ result }) => result.driver)
      .map(({ subject, result }) => `${nameOf(subject)}: with ${result.driver}`),
    ...measured
      .filter(({ subject, result }) => result.turns < subject.turns)
      .map(
        ({ subject, result }) =>
          `${nameOf(subject)}: given up after ${result.turns}, which took too long`,
      ),
    ...skipped.map(({ subject, result }) => `${nameOf(subject)}: not measured: ${result.skipped}`),
    ...measured
      .filter(({ result }) => result.settledShareOfRaw !== undefined)
      .map(
        ({ subject, result }) =>
          `${nameOf(subject)}: words are indexed after the appends; with that time too, ${percent(result.settledShareOfRaw)} of raw`,
      ),
    ...goals(measured),
  ].join('\n')
}

export const nameOf = ({ name, turns }) => `${name}, ${turns} turns`

function cells({ name }, result) {
  return [
    name,
    result.turns.toLocaleString('en'),
    `${formatMs(result.firstMs)} (${formatMs(result.firstMedianMs)})`,
    `${formatMs(result.lastMs)} (${formatMs(result.lastMedianMs)})`,
    growthOf(result).toFixed(2),
    `${(result.bytes / 1e6).toFixed(2)} MB`,
    (result.bytes / result.rawBytes).toFixed(2),
    Math.round(result.appendsPerSecond).toLocaleString('en'),
    result.shareOfRaw === undefined ? '–' : `${Math.round(100 * result.shareOfRaw)} %`,
  ]
}

const growthOf = ({ firstMedianMs, lastMedianMs }) => lastMedianMs / firstMedianMs

function goals(measured) {
  const ours = measured.filter(({ subject }) => subject.isOurs)
  if (ours.length === 0) return []
  const longest = Math.max(...ours.map(({ subject }) => subject.turns))
  const checks = ours.flatMap(({ subject, result }) => {
    const { bytes, rawBytes, searchBytes, shareOfRaw } = result
    const growth = growthOf(result)
    const list = [
      goal(
        subject,
        `appends are ${percent(shareOfRaw)} of raw`,
        shareOfRaw >= leastOfRaw,
        percent(leastOfRaw),
      ),
    ]
    if (subject.turns === longest) {
      const is = `the last turns take ${growth.toFixed(2)} × the first`
      list.push(
        goal(subject, is, isSteady(subject, measured) ? growth <= flat : undefined, `${flat} ×`),
      )
    }
    const entries = sizeOfEntries(subject, bytes, searchBytes)
    if (entries !== undefined) {
      const ratio = entries / rawBytes
      list.push(
        goal(
          subject,
          `entries take ${ratio.toFixed(2)} × the text`,
          ratio <= mostOfText,
          `${mostOfText} ×`,
        ),
      )
    }
    return list
  })
  const [load] = loadavg()
  const cores = availableParallelism()
  const warning =
    load > cores ? ', which is busy: waiting for the disk hides what the code costs' : ''
  return ['', `Goals (load ${load.toFixed(1)} on ${cores} cores${warning}):`, ...checks]
}

/** The size without search and calls: measured where a store can do without them, else the rest. */
function sizeOfEntries({ isEntriesOnly, hasCalls }, bytes, searchBytes) {
  if (isEntriesOnly) return bytes
  return searchBytes === undefined || hasCalls ? undefined : bytes - searchBytes
}

const percent = share => `${Math.round(100 * share)} %`

/** Whether the raw driver's turns became slower or faster too: then the machine did, and growth says nothing. */
function isSteady({ raw, turns }, measured) {
  const found = measured.find(({ subject }) => subject.name === raw.name && subject.turns === turns)
  if (!found) return true
  const growth = growthOf(found.result)
  return growth <= flat && growth >= 1 / flat
}

function goal(subject, is, isMet, limit) {
  const verdict = isMet === undefined ? 'unclear' : isMet ? 'met' : 'missed'
  const why = isMet === undefined ? '; the raw driver was not steady either' : ''
  return `  ${verdict.padEnd(7)}  ${nameOf(subject)}: ${is} (goal ${limit}${why})`
}
