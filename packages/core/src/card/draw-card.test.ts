import { describe, expect, it } from 'vitest'
import { breakLines } from './break-lines.ts'
import { someCard } from './card.fixture.ts'
import { cardText, cardWords } from './card.ts'
import { drawCard } from './draw-card.ts'

const textOf = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map(([, inside]) =>
    inside!.replace(/<[^>]*>/g, ''),
  )

const names = (svg: string) => new Set([...svg.matchAll(/<\/?([^\s/>]+)/g)].map(([, name]) => name))

const allowed = ['svg', 'defs', 'linearGradient', 'stop', 'rect', 'path', 'text', 'tspan', 'g']
const shapes = ['image', 'wide', 'tall'] as const

describe('the words of a card', () => {
  it('say what happened and the cheapest cure with its price', () => {
    const words = cardWords(someCard())
    expect(words.title).toEqual(['It was told.', 'It was cut at turn 58.'])
    expect(words.why).toBe(
      'With a window of 8k it would have been sent. Or pin it: it costs 48 tokens, and 754 were free.',
    )
    expect(words.more).toBe('The policy balanced would have sent it at 4k.')
    expect([words.sent, words.broken]).toEqual(['sent in turns 48 to 57', 'cut at turn 58'])
  })

  it('name no window and no pin that was not found to send it', () => {
    const none = cardWords(someCard({ cures: {} }))
    expect(none.why).toBe('No setting that was tried sends it.')
    const pinned = cardWords(someCard({ cures: { pin: 900 } }))
    expect(pinned.why).toBe('Pin it: it costs 900 tokens, which others would leave.')
  })

  it('differ where nothing matched, and where a client deleted it', () => {
    const unmatched = cardWords(someCard({ kind: 'unmatched', shared: [] }))
    expect(unmatched.title[1]).toBe('Nothing in the question matched.')
    expect(unmatched.why).toContain('share no word. Pin it')
    const deleted = cardWords(someCard({ kind: 'deleted', left: 5 }))
    expect(deleted.title[1]).toBe('The client deleted it at turn 5.')
    expect(`${deleted.why} ${deleted.more}`).not.toContain('Pin')
  })
})

describe('the picture of a card', () => {
  it('has 1200 × 630, the words of both sides, and no address of anything', () => {
    const svg = drawCard(someCard())
    expect(svg).toContain('viewBox="0 0 1200 630"')
    const all = textOf(svg).join(' ')
    expect(all).toContain('Caretaker of the hall.')
    expect(all).toContain('cut at turn 58')
    expect(all).toContain('36 of 184 messages reached the model')
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toContain('http')
  })

  it.each(shapes)('holds hostile words as words: %s', shape => {
    const hostile = `</text><script>alert("1")</script><image href='x'/>&amp;\u0000\u202e\ud800 ]]>`
    const { told, asked, context } = someCard()
    const svg = drawCard(
      someCard({
        told: { ...told, role: hostile, text: hostile },
        asked: { ...asked, question: hostile, answer: hostile, model: hostile },
        context: { ...context, policy: hostile },
      }),
      { shape },
    )
    expect([...names(svg)].filter(name => !allowed.includes(name!))).toEqual([])
    expect(svg).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u)
    expect(svg).not.toMatch(/&(?!#\d+;)/)
  })

  it('breaks words that are too long, and never a character as people see it', () => {
    const family = '👩‍👩‍👧‍👦'
    const lines = breakLines(family.repeat(40), { width: 300, size: 20, most: 3 })
    expect(lines).toHaveLength(3)
    const text = lines.flatMap(({ parts }) => parts.map(part => part.text)).join('')
    expect(text.replaceAll(family, '')).toBe('…')
    const long = breakLines('a'.repeat(5000), { width: 300, size: 20, most: 4 })
    expect(long).toHaveLength(4)
    expect(Math.max(...long.map(({ parts }) => parts[0]!.text.length))).toBeLessThan(30)
  })

  it('begins words from right to left at the right', () => {
    const { told } = someCard()
    const text = 'הבואבוא מגיע בימי חמישי וראשון אחרי התפילה, ויש לו את המפתח.'
    const svg = drawCard(someCard({ told: { ...told, text, marks: [] } }))
    expect(svg).toMatch(/<text x="404"[^>]*direction="rtl"/)
    expect(drawCard(someCard())).not.toContain('direction')
  })

  it('marks the words of the question also where a line ends between them', () => {
    const text = 'one two three four'
    const lines = breakLines(text, { width: 70, size: 12, most: 4, marks: [[4, 13]] })
    expect(lines.length).toBeGreaterThan(1)
    const marked = lines.flatMap(({ parts }) =>
      parts.flatMap(part => (part.isMarked ? [part.text.trim()] : [])),
    )
    expect(marked.join(' ')).toBe('two three')
  })

  it('shows no word of a deleted message, and none at all where they are hidden', () => {
    const deleted = drawCard(someCard({ kind: 'deleted', left: 5 }))
    expect(deleted).not.toContain('cupboard')
    expect(deleted).toContain('caretaker')
    const hidden = drawCard(someCard(), { isHidden: true })
    expect(hidden).not.toMatch(/cupboard|caretaker/i)
    expect(cardText(someCard(), { isHidden: true })).not.toMatch(/cupboard|caretaker/i)
  })

  it.each(shapes)('stays small for a log of any length: %s', shape => {
    const { context, told } = someCard()
    const card = someCard({
      told: { ...told, text: 'word '.repeat(100_000) },
      context: { ...context, all: 1_000_000, fates: '1000000k' },
    })
    expect(drawCard(card, { shape }).length).toBeLessThan(80_000)
  })
})
