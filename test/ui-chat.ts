import { AbstractChat, type ChatInit, type ChatState, DefaultChatTransport, type UIMessage } from 'ai'
import type { UIDataParts, UIMetadata } from 'throughline/chat'

export type Message = UIMessage<UIMetadata, UIDataParts>

interface UiChatOptions extends Pick<ChatInit<Message>, 'onToolCall' | 'sendAutomaticallyWhen'> {
  readonly id: string
  readonly messages?: Message[]
  /** What goes into the body of every request. */
  readonly body?: object
}

/** What `useChat` is without React: the AI SDK's own chat, its own transport, and a state that is a plain object. */
export class UiChat extends AbstractChat<Message> {
  constructor(api: string, { id, messages = [], body = {}, ...more }: UiChatOptions) {
    const state: ChatState<Message> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: message => {
        state.messages = [...state.messages, structuredClone(message)]
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1)
      },
      replaceMessage: (at, message) => {
        state.messages = state.messages.with(at, structuredClone(message))
      },
      snapshot: structuredClone,
    }
    super({ ...more, id, state, transport: new DefaultChatTransport<Message>({ api, body }) })
  }

  say = (text: string) => this.sendMessage({ text })

  /** The texts of the last message, joined. */
  get answer(): string {
    return textOf(this.lastMessage)
  }
}

export const textOf = (message: Message | undefined): string =>
  (message?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
