/** A model may take long for a full window; a try that hangs must end. */
const patience = 300_000

/** The text of a model's reply over chat completions, or what went wrong. */
export async function askModel({ upstream, model, key }, messages) {
  try {
    const response = await fetch(
      `${upstream.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/chat/completions`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, messages, temperature: 0, stream: false }),
        signal: AbortSignal.timeout(patience),
      },
    )
    const body = await response.text()
    if (!response.ok)
      return { error: `${upstream} answered ${response.status}: ${body.slice(0, 200)}` }
    const text = JSON.parse(body).choices?.[0]?.message?.content
    return typeof text === 'string'
      ? { text }
      : { error: `${upstream} sent no text: ${body.slice(0, 200)}` }
  } catch (error) {
    return { error: `${upstream}: ${error.cause?.message ?? error.message}` }
  }
}

/** The points of a reply by the key: 0, 0.5 or 1. The grader is not told whose context the reply was made from. */
export async function grade(grader, { question, key, reply }) {
  const task = [
    'Grade a reply by the key. Say 1 if it says what the key says, 0.5 if it says a part of it, and 0 if it does not or is wrong.',
    'Reply with the number alone.',
    `Question: ${question}`,
    `Key: ${typeof key === 'string' ? key : JSON.stringify(key)}`,
    `Reply: ${reply}`,
  ]
  const { text, error } = await askModel(grader, [{ role: 'user', content: task.join('\n\n') }])
  if (error) return { error }
  const points = /(?<![\d.])(?:0\.5|[01](?:\.0)?)(?![\d.]*\d)/.exec(text)?.[0]
  return points === undefined
    ? { error: `no grade in "${text.slice(0, 80)}"` }
    : { points: Number(points) }
}

/** So many things of a list, taken evenly. */
export const everyNth = (list, most) =>
  list.length <= most
    ? list
    : Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)])
