import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { assistant, user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'

/** Talk about something else, far longer than the window. */
const talk = Array.from({ length: 120 }, (_, n) => [
  user(`The berth of boat ${n} was painted, and its lock was oiled by the crew of the harbour.`),
  assistant(`Boat ${n} is painted and oiled, and the crew has gone home for the night.`),
]).flat()

const items = (words: string, count = 12) =>
  Array.from(
    { length: count },
    (_, n) => `- ${words}, number ${n + 1}, and what belongs to it`,
  ).join('\n')

const greeting = [user('Good morning!'), assistant('Hello.')]

/** The messages that are brought back for a text, beside those for the messages before it. */
function recalledFor(past: readonly MessageLike[], text: string) {
  const chat = [...greeting, ...past, user(text)]
  const { receipt } = fit(chat, { window: 4096, reserve: 512 })
  return receipt.entries
    .filter(({ fate }) => fate === 'recalled')
    .map(({ seq, why }) => ({ text: chat[seq]!.content as string, why }))
}

const packing = `Here is what to take along.\n\n### Packing checklist for Iceland\n${items('A warm layer for the glacier')}`
const revised = `### Packing checklist for Iceland, revised\n${items('A dry bag for the glacier')}`
const checklist = [user('Make me a checklist for Iceland.'), assistant(packing)]
const newer = [user('Add dry bags.'), assistant(revised)]

describe('a thing made earlier and named again', () => {
  it('comes back whole, in its newest version, also without a question', () => {
    const past = [...checklist, ...talk.slice(0, 20), ...newer, ...talk]
    for (const text of [
      'I have looked over the packing checklist.',
      'Tick the first line of the checklist.',
      'Please add sunglasses to our checklist for Iceland.',
    ])
      expect(recalledFor(past, text), text).toEqual([
        { text: revised, why: expect.stringContaining('named again: ') },
      ])
  })

  it('does not come back in an older version while the newest is in view', () => {
    const past = [...checklist, ...talk, ...newer]
    expect(recalledFor(past, 'Tick the first line of the checklist.')).toEqual([])
  })

  it('is the one that the other words speak of', () => {
    const menu = `### Menu plan\n${items('Soup with lentils and bread')}`
    const garden = `### Garden plan\n${items('Beans beside the fence')}`
    const past = [
      ...[user('Plan the menu.'), assistant(menu), user('Plan the garden.'), assistant(garden)],
      ...talk,
    ]
    expect(recalledFor(past, 'Put more lentils into the plan.').map(({ text }) => text)).toEqual([
      menu,
    ])
    expect(recalledFor(past, 'Put more beans into the plan.').map(({ text }) => text)).toEqual([
      garden,
    ])
  })

  it('may be a numbered part, or a function by its name', () => {
    const tasks = `**Task 1: Sails**\n${items('Mend the sails', 6)}\n**Task 2: Rigging**\n${items('Check the rigging', 6)}`
    const code = `Here is \`tides.ts\`:\n\`\`\`ts\nexport function parseTides(text: string) {\n${'  // Read one line of the table of tides.\n'.repeat(9)}}\n\`\`\``
    const past = [
      user('Split the work.'),
      assistant(tasks),
      user('Now code.'),
      assistant(code),
      ...talk,
    ]
    expect(recalledFor(past, 'Let us go on with Task 2.').map(({ text }) => text)).toEqual([tasks])
    expect(recalledFor(past, 'Rename parseTides to readTides.').map(({ text }) => text)).toEqual([
      code,
    ])
    expect(recalledFor(past, 'Shorten tides.ts.').map(({ text }) => text)).toEqual([code])
  })

  it.each([
    ['de', 'Einkaufsliste', 'Streiche den Käse von unserer Einkaufsliste.'],
    ['es', 'Itinerario', 'Quita el museo de nuestro itinerario.'],
    ['ar', 'الخطة', 'احذف المتحف من الخطة.'],
    ['hi', 'योजना', 'योजना से संग्रहालय हटा दो।'],
    ['zh', '购物清单', '把奶酪从清单里删掉。'],
    ['ja', 'スケジュール', 'スケジュールから美術館を消して。'],
    ['ko', '일정', '일정에서 박물관을 빼 줘.'],
  ])('is found in %s', (_, title, text) => {
    const past = [
      user('…'),
      assistant(`### ${title}\n${items('Käse museo المتحف संग्रहालय 奶酪 美術館 박물관')}`),
    ]
    expect(recalledFor([...past, ...talk], text)[0]?.why).toContain('named again: ')
  })
})

describe('nothing is named again', () => {
  const past = [
    ...checklist,
    user('Plan it.'),
    assistant(`### Plan for Iceland\n${items('A glacier walk')}`),
    ...talk,
  ]

  it.each([
    ['what was just said', 'That plan makes sense.'],
    ['a plan that is asked for', 'What is the plan?'],
    ['a new one', 'Write a checklist of boats.'],
    ['what stands below', `Sum up the plan below:\n${items('Oil')}`],
    ['a date', 'We leave on May 5.'],
    ['another thing', 'The schedule of the ferry is on the door.'],
  ])('by %s', (_, text) => {
    expect(recalledFor(past, text).filter(({ why }) => why?.includes('named again'))).toEqual([])
  })
})
