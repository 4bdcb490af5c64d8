/**
 * What a model server reads of each request: what follows the longest common beginning with the request before it (one cache), or
 * with any earlier one (many caches). Characters.
 */
export function measureReads(requests) {
  const prompts = []
  return requests.map(({ parts }) => {
    const prompt = parts.join('\n')
    const shared = prompts.map(earlier => commonLength(earlier, prompt))
    prompts.push(prompt)
    return {
      prompt: prompt.length,
      one: prompt.length - (shared.at(-1) ?? 0),
      many: prompt.length - Math.max(0, ...shared),
    }
  })
}

function commonLength(a, b) {
  let [low, high] = [0, Math.min(a.length, b.length)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (a.slice(low, middle) === b.slice(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** The figures of a run. */
export function measureRun(all, plan) {
  const requests = all.filter(({ kind }) => kind !== 'refused')
  const reads = measureReads(requests)
  const sum = (name, kinds) =>
    reads.reduce(
      (total, read, at) => (kinds.includes(requests[at].kind) ? total + read[name] : total),
      0,
    )
  const main = requests.filter(({ kind }) => kind === 'main')
  const count = kind => all.filter(request => request.kind === kind).length
  const perRequest = total => Math.round(total / Math.max(1, main.length))
  const inView = main.filter(
    ({ parts, step }) => !step?.list && parts.some(part => part.includes(plan)),
  )
  const facts = main.filter(({ step }) => step?.fact)
  return {
    requests: main.length,
    side: count('side'),
    ahead: count('ahead'),
    refused: count('refused'),
    prompt: perRequest(sum('prompt', ['main'])),
    one: perRequest(sum('one', ['main', 'side', 'ahead'])),
    many: perRequest(sum('many', ['main', 'side', 'ahead'])),
    beside: sum('many', ['side', 'ahead']),
    plan: `${inView.length} of ${main.filter(({ step }) => !step?.list).length}`,
    facts: `${facts.filter(({ parts, step }) => parts.some(part => part.includes(step.fact))).length} of ${facts.length}`,
    torn: main.filter(({ isTorn }) => isTorn).length,
  }
}
