/** A request in each form that the server speaks, and where its answer has the text. */
export interface Face {
  readonly path: string
  body(texts: readonly string[]): object
  textOf(answer: never): string
}

/** The texts of users and assistants in turns, the user's first. */
const toMessages = (texts: readonly string[]) =>
  texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }))

interface ChatAnswer {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
}
interface TextBlocks {
  readonly content: readonly { readonly text: string }[]
}
interface ResponseAnswer {
  readonly output: readonly TextBlocks[]
}

interface GeminiAnswer {
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly { readonly text: string }[] }
  }[]
}

export const faces = {
  chat: {
    path: '/v1/chat/completions',
    body: texts => ({ messages: toMessages(texts) }),
    textOf: ({ choices }: ChatAnswer) => choices[0]!.message.content,
  },
  messages: {
    path: '/v1/messages',
    body: texts => ({ max_tokens: 500, messages: toMessages(texts) }),
    textOf: ({ content }: TextBlocks) => content[0]!.text,
  },
  responses: {
    path: '/v1/responses',
    body: texts => ({ input: toMessages(texts) }),
    textOf: ({ output }: ResponseAnswer) => output.at(-1)!.content[0]!.text,
  },
  ollama: {
    path: '/api/chat',
    body: texts => ({ stream: false, messages: toMessages(texts) }),
    textOf: ({ message }: { readonly message: { readonly content: string } }) => message.content,
  },
  gemini: {
    path: '/v1beta/models/reader:generateContent',
    body: texts => ({
      contents: texts.map((text, at) => ({
        role: at % 2 === 0 ? 'user' : 'model',
        parts: [{ text }],
      })),
    }),
    textOf: ({ candidates }: GeminiAnswer) => candidates[0]!.content.parts[0]!.text,
  },
} satisfies Record<string, Face>
