import type { ThroughlineError } from '@throughline/core/errors'
import { postgresStore } from '@throughline/stores/postgres'
import type { Store } from '@throughline/stores/store'
import { isLong } from '@throughline/test-tools/is-long'
import { describePostgres } from '@throughline/test-tools/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { killLoop } from './kill-loop.ts'
import { loseAnswer } from './lose-answer.ts'
import { raceWriters } from './race-writers.ts'
import { readAfterEach } from './read-after-each.ts'
import { stallWriter } from './stall-writer.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { stopServer } from './stop-server.ts'
import { parts, partText } from './turn-messages.ts'
import { gaveUp, isRefused, type Place } from './writer-line.ts'

const isOurs = !process.env.DATABASE_URL
if (!isOurs)
  console.log('Not tested: a server that is stopped, because the one of DATABASE_URL is not ours.')

describePostgres(
  'processes that share a log in PostgreSQL',
  server => {
    let program: WriterProgram
    let store: Store
    let place: Place
    beforeAll(async () => {
      program = await createWriterProgram()
      place = { kind: 'postgres', url: server.url }
      store = postgresStore({ url: server.url })
      await store.migrate()
    })
    afterAll(async () => {
      await program?.stop()
      await store?.close()
    })

    it('find all that was acknowledged, whole, when a writer is killed at any moment', async () => {
      const rounds = isLong ? 60 : 2
      const { acknowledged, faults } = await killLoop(program, { place, rounds, seed: 7 })
      console.log(`${rounds} writers killed, ${acknowledged} steps acknowledged`)
      expect(faults).toEqual([])
      expect(acknowledged).toBeGreaterThanOrEqual(rounds)
    })

    it.each([
      ['acknowledges before it writes', 'late', 'was acknowledged and is not there'],
      ['writes the end of a turn in two transactions', 'torn', 'torn'],
    ] as const)('would notice a store that %s', async (_, fault, words) => {
      const { acknowledged, faults } = await killLoop(program, {
        place,
        rounds: 30,
        seed: 7,
        fault,
      })
      expect(acknowledged).toBeGreaterThan(0)
      expect(faults.join()).toContain(words)
    })

    it('take turns on one head, four of them, and are told when they must wait', async () => {
      const race = { place, conversation: 'race', turns: isLong ? 60 : 4 }
      const { acknowledged, refused, faults } = await raceWriters(program, store, race)
      expect(faults).toEqual([])
      expect(acknowledged.filter(({ step }) => step === 'complete').length).toBe(4 * race.turns)
      expect(refused.length).toBeGreaterThan(0)
      for (const { error, code } of refused)
        expect(['LeaseError turn_open', 'ConflictError conflict']).toContain(`${error} ${code}`)
      expect(refused.find(({ code }) => code === 'turn_open')?.message).toMatch(
        /^Turn \d+ of thread "race\/assistant\/main" is open: retry/,
      )
      console.log(`${4 * race.turns} turns of four processes, ${refused.length} times refused`)
    })

    it('would notice a store that lets two turns be open', async () => {
      const race = { place, conversation: 'no lease', turns: 8, fault: 'unleased' } as const
      const { acknowledged, faults } = await raceWriters(program, store, race)
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(faults.length).toBeGreaterThan(0)
    })

    const stalled = [
      ['complete', 2],
      ['append', 1],
    ] as const
    it.each(stalled.slice(0, isLong ? 2 : 1))(
      'are fenced when they slept past their lease before %s',
      async (step, steps) => {
        const stall = { place, conversation: `asleep before ${step}`, steps }
        const { lines, marks, faults } = await stallWriter(program, store, stall)
        expect(faults).toEqual([])
        expect(lines.find(isRefused)).toMatchObject({
          step,
          error: 'LeaseError',
          code: 'lease_lost',
        })
        expect(lines).toContainEqual({ kind: 'aborted', turn: 1, code: 'lease_lost' })
        const before = parts.slice(0, 2 * steps - 1).map(part => partText('slow', 1, part))
        // One entry that closes the turn of the first, then the turn of the second, and nothing else.
        expect(marks).toEqual([
          ...before,
          undefined,
          ...parts.map(part => partText('next', 1, part)),
        ])
      },
    )

    it('would notice a store that does not fence', async () => {
      const stall = { place, conversation: 'unfenced', steps: 1, fault: 'unfenced' } as const
      expect((await stallWriter(program, store, stall)).faults.join()).toContain('is of 2 turns')
    })

    it('read a turn of another as soon as it is complete, and nothing again that they know', async () => {
      const reads = await readAfterEach(program, store, { place, conversation: 'fresh', turns: 4 })
      expect(reads).toEqual(
        Array.from({ length: 4 }, () => ({ unseen: [], entries: parts.length })),
      )
    })

    it('would notice a store that acknowledges before others can read', async () => {
      const stale = { place, conversation: 'stale', turns: 1, fault: 'late' } as const
      const reads = await readAfterEach(program, store, stale)
      expect(reads[0]?.unseen).toContain(partText('ada', 1, 'reply'))
    })

    it('would notice an instance that reads everything again', async () => {
      const forgetful = { place, conversation: 'forgetful', turns: 2, isForgetful: true }
      const reads = await readAfterEach(program, store, forgetful)
      expect(reads.map(({ entries }) => entries)).toEqual([parts.length, 2 * parts.length])
    })

    it.each([
      ['begin', 1, []],
      ['append', 3, []],
      ['complete', 5, []],
    ] as const)(
      'write once what is done again because the answer to %s got lost',
      async (step, written, codes) => {
        const { errors, marks, faults } = await loseAnswer(server.url, step)
        expect(faults).toEqual([])
        expect(errors.map(error => (error as ThroughlineError).code)).toEqual(codes)
        expect(marks).toEqual(parts.slice(0, written).map(part => partText('ada', 1, part)))
      },
    )

    it.skipIf(!isOurs)(
      'have whole turns when the server is stopped in the middle of them',
      async () => {
        const { acknowledged, refused, exits, faults } = await stopServer(program, server)
        expect(faults).toEqual([])
        expect(acknowledged).toBeGreaterThan(0)
        expect(exits).toEqual([gaveUp, gaveUp])
        for (const { code } of refused)
          expect(['outcome_unknown', 'store_unavailable']).toContain(code)
      },
    )

    if (!isLong) console.info('Skipped: turns that were acknowledged early, only in the long run')
    it.skipIf(!isOurs || !isLong)('would notice turns that were acknowledged early', async () => {
      const { faults } = await stopServer(program, server, 'late')
      expect(faults.join()).toContain('was acknowledged and is not there')
    })
  },
  { isOwn: true },
)
