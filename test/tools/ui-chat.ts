import { Chat } from '@ai-sdk/react'
import { type UIDataParts, type UIMetadata, withMissed } from '@throughline/chat'
import { type ChatInit, DefaultChatTransport, type UIMessage } from 'ai'

export type Message = UIMessage<UIMetadata, UIDataParts>

interface UiChatOptions extends Pick<ChatInit<Message>, 'onToolCall' | 'sendAutomaticallyWhen'> {
  readonly id: string
  readonly messages?: Message[]
  /** What goes into the body of every request. */
  readonly body?: object
  readonly headers?: Record<string, string>
  /** Whether a request has only the new message, because the server keeps the others. Default false. */
  readonly sendsOnlyNew?: boolean
}

/** What `useChat` holds, without a page around it: the AI SDK's own chat and its own transport. It shows what was said in other tabs. */
export class UiChat extends Chat<Message> {
  constructor(
    api: string,
    { body = {}, headers = {}, sendsOnlyNew = false, ...more }: UiChatOptions,
  ) {
    const transport = new DefaultChatTransport<Message>({
      ...{ api, body, headers },
      ...(sendsOnlyNew && {
        prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
          body: { ...body, id, trigger, messageId, messages: messages.slice(-1) },
        }),
      }),
    })
    super({
      ...{ ...more, transport },
      onData: part => {
        if (part.type === 'data-missed') this.messages = withMissed(this.messages, part.data)
      },
    })
  }

  say = (text: string) => this.sendMessage({ text })

  /** The texts of the last message, joined. */
  get answer(): string {
    return textOf(this.lastMessage)
  }
}

export const textOf = (message: Message | undefined): string =>
  (message?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
