import { expect, it } from 'vitest'
import { counterOf } from '../draft/frame-options.ts'
import { remember } from './remember.ts'
import { createTranscript } from './transcript.ts'

it('forgets what was not asked for longest', () => {
  const transcript = createTranscript(counterOf({}))
  const fold = remember(transcript, 'fold', () => ({}))
  for (let epoch = 0; epoch < 100; epoch++) {
    remember(transcript, `blocks ${epoch}`, () => ({}))
    expect(remember(transcript, 'fold', () => ({}))).toBe(fold)
  }
  let isMadeAgain = false
  remember(transcript, 'blocks 0', () => {
    isMadeAgain = true
    return {}
  })
  expect(isMadeAgain).toBe(true)
})
