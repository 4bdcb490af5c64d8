/** A client in plain HTTP, as it could be written in PHP, Go or a shell: no library, and no list of old messages. */

export interface Answer {
  readonly text: string
  /** The tokens that the model was sent, notes and earlier messages among them. */
  readonly tokens: number
}

/** Says something in a conversation of this name. The server knows what was said before, and keeps the notes. */
export async function say(
  server: string,
  conversation: string,
  text: string,
  model = 'm',
): Promise<Answer> {
  const response = await fetch(`${server}/c/${conversation}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  })
  if (!response.ok)
    throw new Error(`The server answered ${response.status}: ${await response.text()}`)
  const { choices, usage } = (await response.json()) as Completion
  return { text: choices[0]?.message.content ?? '', tokens: usage?.prompt_tokens ?? 0 }
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string | null } }[]
  readonly usage?: { readonly prompt_tokens: number }
}
