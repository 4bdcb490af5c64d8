import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Chips } from './chips.tsx'
import { keep } from './kept.ts'
import type { KeptBy, Message } from './message.ts'
import { MessageView } from './message-view.tsx'

export interface ConversationProps {
  readonly id: string
  readonly keptBy: KeptBy
  readonly messages: Message[]
  readonly onAnswer: (instance: number | undefined) => void
}

export function Conversation({ id, keptBy, messages: before, onAnswer }: ConversationProps) {
  const [transport] = useState(
    () =>
      new DefaultChatTransport<Message>({
        api: keptBy === 'browser' ? '/api/carried' : '/api/chat',
        // The one difference between the two ways: all messages, or the new one.
        ...(keptBy === 'store' && {
          prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
            body: { id, trigger, messageId, messages: messages.slice(-1) },
          }),
        }),
      }),
  )
  const { messages, sendMessage, status, stop, error } = useChat<Message>({
    id,
    messages: before,
    transport,
  })
  const isBusy = status === 'submitted' || status === 'streaming'
  const instance = messages.at(-1)?.metadata?.instance

  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    onAnswer(instance)
    end.current?.scrollIntoView({ block: 'end' })
    if (!isBusy) keep(keptBy, messages)
  }, [messages, isBusy, keptBy, instance, onAnswer])

  const say = (text: string) => void sendMessage({ text })
  return (
    <main>
      <div className="messages" role="log" aria-label="Conversation">
        {messages.length === 0 && <Start />}
        {messages.map((message, at) => (
          <MessageView
            key={message.id}
            message={message}
            onReply={at === messages.length - 1 && !isBusy ? say : undefined}
          />
        ))}
        {status === 'submitted' && <p className="waiting">The agent reads …</p>}
        {error && (
          <p className="problem" role="alert">
            {error.message || 'The answer broke off.'} Send your message again.
          </p>
        )}
        <div ref={end} />
      </div>
      <Chips messages={messages} isBusy={isBusy} onSay={say} />
      <Say isBusy={isBusy} onSay={say} onStop={() => void stop()} />
    </main>
  )
}

function Start() {
  return (
    <section className="start">
      <h2>Plan an A/B test</h2>
      <p>
        Hypotheses, variants, a preview; and when you have confirmed it, the experiment. Each
        message goes to the other of two server processes. What one of them made, the other finds in
        the conversation.
      </p>
    </section>
  )
}

interface SayProps {
  readonly isBusy: boolean
  readonly onSay: (text: string) => void
  readonly onStop: () => void
}

function Say({ isBusy, onSay, onStop }: SayProps) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || text.trim() === '') return
    onSay(text)
    setText('')
  }
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Message"
        placeholder="Plan a test for https://…"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      {isBusy ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="main">
          Send
        </button>
      )}
    </form>
  )
}
