// What an index of 100,000 entries costs after a restart: the CPU time of unpacking it and of the first dozen rankings, in a
// process that has compiled nothing yet.
//
//   node bench/trials/restored-rank.mjs [--dist DIST]
//
// The index is packed by another process first.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { textAt } from '../lib/texts.mjs'

const entries = 100_000
const questions = 12
const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: 'bench/.build' },
    pack: { type: 'string' },
    unpack: { type: 'string' },
  },
})
const load = name => import(resolve(values.dist, 'core/context/recall', name))

if (values.pack) await pack(values.pack)
else if (values.unpack) await measure(values.unpack)
else {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-rank-'))
  try {
    for (const step of ['--pack', '--unpack'])
      execFileSync(
        process.execPath,
        [
          '--single-threaded',
          fileURLToPath(import.meta.url),
          '--dist',
          values.dist,
          step,
          join(folder, 'index'),
        ],
        { stdio: 'inherit' },
      )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function pack(path) {
  const { createRecallIndex } = await load('recall-index.js')
  const { packIndex } = await load('packed/packed-words.js')
  const index = createRecallIndex()
  for (let at = 0; at < entries; at++)
    index.append({
      text: textAt(at),
      isUser: at % 2 === 1,
      tokens: 80,
      beginsSession: at % 256 === 0,
    })
  writeFileSync(path, packIndex(index))
}

async function measure(path) {
  const { unpackIndex } = await load('packed/packed-words.js')
  const { rank } = await load('rank.js')
  const packed = readFileSync(path)
  let index
  const unpackMs = cpuMs(() => {
    index = unpackIndex(packed).index
  })
  const ranks = Array.from({ length: questions }, (_, n) =>
    cpuMs(() => rank(index, textAt(2 * entries + n))).toFixed(1),
  )
  console.log(
    `unpacked in ${unpackMs.toFixed(0)} ms, ${(packed.length / 1e6).toFixed(2)} MB; ranked in ${ranks.join(', ')} ms`,
  )
}

function cpuMs(work) {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}
