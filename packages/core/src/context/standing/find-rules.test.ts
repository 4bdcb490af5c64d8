import { describe, expect, it } from 'vitest'
import { findRules } from './find-rules.ts'
import { inForce } from './in-force.ts'

const rules: Readonly<Record<string, readonly string[]>> = {
  English: [
    'Always answer in metric units.',
    'Never put my phone number into a file.',
    'From now on, call me Captain.',
    'Please never use emojis.',
    'When you cite a paper, give its year.',
    'End every reply with a joke.',
    'Don’t send any mails on my behalf.',
    'Going forward I want you to keep it short.',
    'Ask me before you delete anything.',
    'If you are not sure, say so.',
    'Whenever I ask for code, use TypeScript.',
    'Reply in bullet points only, no paragraphs.',
    'Use British spelling in all your replies.',
    'You must never mention the merger.',
    'Write numbers as words until I say otherwise.',
  ],
  German: [
    'Antworte ab jetzt nur auf Deutsch.',
    'Schreibe niemals meinen Namen in eine Datei.',
    'Beende jede Antwort mit einer Zusammenfassung.',
    'Wenn du Maße nennst, verwende metrische Einheiten.',
    'Bitte immer in Stichpunkten antworten.',
  ],
  Spanish: [
    'A partir de ahora responde en español.',
    'Nunca menciones mi nombre.',
    'Siempre usa el sistema métrico.',
    'Cuando cites un artículo, pon el año.',
    'Termina cada respuesta con un resumen.',
  ],
  Chinese: [
    '从现在开始，请用中文回答。',
    '永远不要提到我的名字。',
    '每次回答都要用公制单位。',
    '以后别再用表情符号。',
  ],
  Japanese: [
    'これからは日本語で答えてください。',
    '絶対に私の名前を書かないでください。',
    '毎回、最後に要約を入れてください。',
  ],
  Korean: [
    '앞으로 한국어로 답해 주세요.',
    '절대 제 이름을 쓰지 마세요.',
    '항상 미터법을 사용하세요.',
  ],
  Arabic: ['من الآن فصاعدا أجب بالعربية.', 'لا تذكر اسمي أبدا.', 'اختم كل رد بملخص.'],
  Hindi: ['अब से हिंदी में जवाब दीजिए।', 'कभी भी मेरा नाम मत लिखना।', 'हमेशा मीट्रिक इकाइयों का प्रयोग करें।'],
}

/** What people say without laying anything down. */
const talk = [
  'Do you remember: your instruction was to speak like a pirate for the rest of this conversation.',
  'Never saw this coming.',
  'Always here to help!',
  'I always run before breakfast.',
  'I am going to do better from now on.',
  'Don’t worry about it.',
  'Don’t ask again, just show me the list.',
  'Before you start, tell me what it costs.',
  'When you are done, send it to me.',
  'Never give up!',
  'We never use the car any more.',
  'Can you always answer in French?',
  'If you need anything, let me know.',
  'Write a text about cats.',
  'For each city, give me three hotels.',
  'Send it whenever you get a chance.',
  'Keep up the good work!',
  'Das habe ich noch nie gesehen.',
  'Ich gehe immer zu Fuß.',
  'Kannst du immer noch schwimmen?',
  'Nunca he estado allí.',
  'Siempre me ha gustado el mar.',
  '我总是很晚睡觉。',
  '以后我要去北京。',
  'いつも早く起きます。',
  '私はこれから寝ます。',
  '나는 항상 늦게 자요.',
  'أنا دائما متعب.',
  'मैं हमेशा देर से सोता हूँ।',
]

describe('standing rules', () => {
  it.each(Object.entries(rules))('are found in %s, word for word', (_, sentences) => {
    for (const sentence of sentences) {
      expect(findRules(sentence)).toEqual([sentence])
      expect(findRules(`Hello. ${sentence}\nThat is all.`)).toEqual([sentence])
    }
  })

  it('are not what people say of themselves, what they ask, or what they want once', () => {
    expect(talk.filter(sentence => findRules(sentence).length > 0)).toEqual([])
  })

  it('take in the sentence behind an announcement, and the list behind a colon', () => {
    expect(
      findRules('For the rest of this session. cite the primary source.\n\nWhat is new?'),
    ).toEqual(['For the rest of this session. cite the primary source.'])
    const list = 'From now on:\n- no emojis\n- metric units\n- short replies'
    expect(findRules(`${list}\n\nWho won?`)).toEqual([list])
  })

  it('are not looked for in code, in quotations and in the middle of a paste', () => {
    expect(findRules('```\nAlways use tabs.\n```\n> Never use tabs.')).toEqual([])
    const paste = 'It rained on Monday. '.repeat(200)
    expect(findRules(`${paste}Always use tabs. ${paste}`)).toEqual([])
    expect(findRules(`${paste}\nAlways use tabs.`)).toEqual(['Always use tabs.'])
  })

  it('are found behind letters that are folded to two', () => {
    const sentence = 'Antworte ab jetzt nur auf Deutsch.'
    expect(findRules(`${'Größe in Fuß. '.repeat(12)}${sentence} Grüße!`)).toEqual([sentence])
  })

  it('cost time that grows with the text only', () => {
    for (const part of [
      '!',
      'when you ',
      'always ',
      'don’t any ',
      'reply only ',
      '永远不要',
      'अब से ',
      '.\n',
    ])
      expect(findRules(part.repeat(200_000)).length).toBeLessThan(200)
  })

  it('give way to newer ones that contradict them', () => {
    const held = (...texts: readonly string[]) =>
      inForce(texts.map((text, unit) => ({ unit, text }))).map(({ text }) => text)
    expect(held('Always answer in French.', 'From now on, reply in German.')).toEqual([
      'From now on, reply in German.',
    ])
    expect(held('Never use emojis.', 'Always use emojis.')).toEqual(['Always use emojis.'])
    expect(held('End every reply with a joke.', 'End every reply with a poem.')).toEqual([
      'End every reply with a poem.',
    ])
    expect(held('Always use tabs.', 'always use tabs!')).toEqual(['always use tabs!'])
    const both = [
      'Never open a file in the secret folder.',
      'Never open a file in the confidential folder.',
    ]
    expect(held(...both)).toEqual(both)
  })
})
