import { describe, expect, it } from 'vitest'
import { isPlain, isQuestion } from './asking.ts'

describe('isPlain', () => {
  it.each([
    'what was the name of the boat',
    '  "Did we agree on Friday?"',
    'Remind me of the code',
    'In which town does she live',
    'Wann war der Termin',
    'Mit wem hast du gesprochen',
    'Weißt du noch, wo der Schlüssel liegt',
    'weisst du wie er heisst',
    'Welches Instrument spielt sie',
    'Wogegen ist er allergisch',
    '¿Cuándo es la cita?',
    'cuando es la cita',
    'De qué trabaja Javier',
    'Dime el código',
    '他的狗叫什么名字',
    '你還記得他住在哪裡嗎',
    '告诉我密码',
    '田中さんの仕事は何ですか',
    '予約はいつ',
    '暗証番号を教えて',
    '치과 예약은 언제예요',
    '이름이 뭐예요',
    '비밀번호 알려 줘',
    'متى عيد ميلاد أحمد',
    'إلى أي مدينة انتقل',
    'ما هو رمز الباب',
    'अमित का जन्मदिन कब है',
    'वह किस शहर में रहते हैं',
    'दरवाज़े का कोड बताओ',
  ])('is so for: %s', text => {
    expect(isPlain(text)).toBe(true)
    expect(isQuestion(text)).toBe(true)
  })

  it.each([
    'The boat is called Heron.',
    'I told her what we did.',
    'Work was long today.',
    'Ich habe gestern gekocht.',
    'Wieder Regen.',
    'Hoy hizo mucho calor.',
    'Cuadro nuevo en la sala.',
    '今天的天气很好。',
    '昨日は雨でした。',
    '오늘은 날씨가 좋아요.',
    'كان الطقس جميلا اليوم.',
    'आज मौसम अच्छा था।',
    'किसी ने फ़ोन किया।',
    '',
    '?',
    'x'.repeat(1_000_000),
  ])('is not so for: %.40s', text => {
    expect(isPlain(text)).toBe(false)
  })
})

describe('isQuestion', () => {
  it.each(['The boat, which one?', '船はあれ？', 'القارب؟'])('is so in passing for: %s', text => {
    expect(isPlain(text)).toBe(false)
    expect(isQuestion(text)).toBe(true)
  })

  it('is not so for what only tells', () => {
    expect(isQuestion('The boat is called Heron.')).toBe(false)
  })
})
