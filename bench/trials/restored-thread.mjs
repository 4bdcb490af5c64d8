// What a transcript of 100,000 messages costs after a restart, part by part: the CPU time of restoring it from its
// checkpoints, of the state of the cut over all of it, of the first word that is looked up and of reading every unit once, in a process
// that has compiled nothing yet. Code is compiled in turn, not beside: on a busy machine the figures are the same.
//
//   node bench/trials/restored-thread.mjs [--dist DIST]
//
// The checkpoints are made by another process first.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { textAt } from '../lib/texts.mjs'

const messages = 100_000
const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: 'bench/.build' },
    pack: { type: 'string' },
    restore: { type: 'string' },
  },
})
const load = name => import(resolve(values.dist, 'core', name))

if (values.pack) await pack(values.pack)
else if (values.restore) await measure(values.restore)
else {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-restore-'))
  const self = fileURLToPath(import.meta.url)
  const run = step =>
    execFileSync(
      process.execPath,
      [
        '--no-concurrent-recompilation',
        self,
        '--dist',
        values.dist,
        step,
        join(folder, 'checkpoints'),
      ],
      { stdio: 'inherit' },
    )
  try {
    for (const step of ['--pack', '--restore', '--restore', '--restore']) run(step)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function pack(path) {
  const { createTranscript } = await load('context/conversation/transcript.js')
  const { packCheckpoint, unitsPerCheckpoint } = await load('context/checkpoint/checkpoint.js')
  const { estimate } = await load('tokens/index.js')
  const transcript = createTranscript(estimate())
  for (let at = 0; at < messages; at++)
    transcript.append({ role: at % 2 === 0 ? 'assistant' : 'user', content: textAt(at) }, at)
  const size = Math.floor((messages - 1) / unitsPerCheckpoint)
  const packed = Array.from({ length: size }, (_, number) => packCheckpoint(transcript, number))
  writeFileSync(path, JSON.stringify(packed.map(bytes => Buffer.from(bytes).toString('base64'))))
}

async function measure(path) {
  const { restoreTranscript } = await load('context/checkpoint/checkpoint.js')
  const { cutStateOf } = await load('context/stable/cut-state.js')
  const { plainLedger } = await load('context/stable/ledger.js')
  const { indexTranscript } = await load('context/recall/index-transcript.js')
  const { estimate } = await load('tokens/index.js')
  const packed = JSON.parse(readFileSync(path, 'utf8')).map(
    text => new Uint8Array(Buffer.from(text, 'base64')),
  )
  const room = {
    base: 3800,
    digests: 79,
    recall: 1200,
    whole: 3700,
    tail: 2300,
    low: 920,
    keep: 1700,
    least: 118,
  }
  let transcript
  const restored = cpuMs(() => {
    transcript = restoreTranscript(estimate(), packed).transcript
  })
  const costs = { ...plainLedger(transcript), room: { ...room, inlineNotes: true } }
  const cutting = cpuMs(() => cutStateOf(costs))
  const looked = cpuMs(() => indexTranscript(transcript, 0).vocabulary.get('lisbon'))
  const walked = cpuMs(() => transcript.units.reduce((sum, unit) => sum + unit.tokens, 0))
  console.log(
    `restored in ${restored} ms, cutting in ${cutting}, first word found in ${looked}, all units made in ${walked}`,
  )
}

function cpuMs(work) {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return Math.round((user + system) / 1000)
}
