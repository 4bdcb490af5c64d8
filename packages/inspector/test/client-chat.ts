import type { ServedInspector } from './open-inspector.ts'

/** A client of the server that names its conversation and sends all of its list each time. `messages`: what it sends next time. */
export function clientChat(
  { url }: Pick<ServedInspector, 'url'>,
  conversation: string,
  {
    messages = [],
    ...body
  }: { readonly messages?: object[]; readonly [field: string]: unknown } = {},
) {
  return {
    messages,
    async say(content: string): Promise<void> {
      messages.push({ role: 'user', content })
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-throughline-conversation': conversation },
        body: JSON.stringify({ model: 'm', messages, stream: false, ...body }),
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      const { choices } = (await response.json()) as {
        readonly choices: [{ readonly message: object }]
      }
      messages.push(choices[0].message)
    },
  }
}
