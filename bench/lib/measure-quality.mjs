/** The share of questions with all evidence, word for word, in the context that `build` makes for them. */
export function measureQuality(conversations, build, window) {
  const sum = { all: 0, mean: 0, questions: 0, assistant: { present: 0, evidence: 0 }, categories: {} }
  for (const { turns, questions } of conversations) {
    for (const { text, category, at, time, evidence } of questions) {
      const asked = { role: 'user', content: text, time }
      const { sent, has } = build([...turns.slice(0, at), asked], window)
      const whole = sent.map(message => message.content).join('\n')
      // The receipt says that it is there, and it is: word for word.
      const present = evidence.filter(seq => has(seq) && whole.includes(turns[seq].content))
      const share = evidence.length > 0 ? present.length / evidence.length : 1
      sum.categories[category] ??= { all: 0, questions: 0 }
      const ofCategory = sum.categories[category]
      sum.questions += 1
      sum.mean += share
      sum.all += share === 1 ? 1 : 0
      ofCategory.questions += 1
      ofCategory.all += share === 1 ? 1 : 0
      sum.assistant.evidence += evidence.filter(seq => turns[seq].role === 'assistant').length
      sum.assistant.present += present.filter(seq => turns[seq].role === 'assistant').length
    }
  }
  const share = (part, whole) => (whole > 0 ? Number((part / whole).toFixed(4)) : 0)
  return {
    all: share(sum.all, sum.questions),
    mean: share(sum.mean, sum.questions),
    questions: sum.questions,
    assistant: {
      share: share(sum.assistant.present, sum.assistant.evidence),
      evidence: sum.assistant.evidence,
    },
    categories: Object.fromEntries(
      Object.entries(sum.categories).map(([name, { all, questions }]) => [
        name,
        { all: share(all, questions), questions },
      ]),
    ),
  }
}
