import { AbstractChat, type ChatInit, type ChatState, DefaultChatTransport, type UIMessage } from 'ai'
import type { UIDataParts, UIMetadata } from 'throughline/chat'

export type Message = UIMessage<UIMetadata, UIDataParts>

interface UiChatOptions extends Pick<ChatInit<Message>, 'onToolCall' | 'sendAutomaticallyWhen'> {
  readonly id: string
  readonly messages?: Message[]
  /** What goes into the body of every request. */
  readonly body?: object
  /** Whether a request has only the new message, because the server keeps the others. Default false. */
  readonly sendsOnlyNew?: boolean
}

/** What `useChat` is without React: the AI SDK's own chat, its own transport, and a state that is a plain object. */
export class UiChat extends AbstractChat<Message> {
  constructor(api: string, { id, messages = [], body = {}, sendsOnlyNew = false, ...more }: UiChatOptions) {
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
    const transport = new DefaultChatTransport<Message>({
      api,
      body,
      ...(sendsOnlyNew && {
        prepareSendMessagesRequest: ({ id, messages }) => ({
          body: { ...body, id, messages: messages.slice(-1) },
        }),
      }),
    })
    super({ ...more, id, state, transport })
  }

  say = (text: string) => this.sendMessage({ text })

  /** The texts of the last message, joined. */
  get answer(): string {
    return textOf(this.lastMessage)
  }
}

export const textOf = (message: Message | undefined): string =>
  (message?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
