/**
 * The share of questions with all evidence, word for word, in the context that `build` makes for them. `precision`: of the tokens that
 * were recalled for the question, the share of evidence and of the messages beside it.
 */
export function measureQuality(conversations, build, window) {
  const sum = {
    all: 0,
    mean: 0,
    questions: 0,
    assistant: { present: 0, evidence: 0 },
    categories: {},
  }
  const recalled = { tokens: 0, telling: 0 }
  for (const { turns, questions } of conversations) {
    for (const { text, category, at, time, evidence } of questions) {
      const asked = { role: 'user', content: text, time }
      const { sent, has, receipt } = build([...turns.slice(0, at), asked], window)
      for (const seq of receipt ? recalledFor(receipt) : []) {
        const { tokens } = receipt.entries[seq]
        recalled.tokens += tokens
        if (evidence.some(place => Math.abs(place - seq) <= 1)) recalled.telling += tokens
      }
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
    precision: recalled.tokens > 0 ? share(recalled.telling, recalled.tokens) : undefined,
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

/** The messages that the newest one has brought back: their block stands just before it. */
function recalledFor({ sent }) {
  const block = sent.at(-2)
  return block?.part === 'recall' ? block.standsFor : []
}
