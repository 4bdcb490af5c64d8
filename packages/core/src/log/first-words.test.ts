import { expect, it } from 'vitest'
import { firstWords } from './first-words.ts'

it.each([
  ['Paint the door blue.', 'Paint the door blue.'],
  ['<system-reminder>\nBe terse.\n</system-reminder>\nPaint the door.', 'Paint the door.'],
  ['<environment_context>\n<cwd>/x</cwd>\n</environment_context>', ''],
  [
    '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nNo tabs.\n</INSTRUCTIONS>\n\nFix it',
    'Fix it',
  ],
  ['[Session 1, 1:56 pm on 8 May, 2023]\nHey Mel!', 'Hey Mel!'],
  ['a <b>bold</b> word\nand a line', 'a <b>bold</b> word and a line'],
])('of %j are %j', (text, words) => {
  expect(firstWords(text, 60)).toBe(words)
})
