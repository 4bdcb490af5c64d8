import { useChat } from '@ai-sdk/react'
import { withMissed } from '@throughline/chat/ui'
import type { Message } from '@throughline/test-tools/ui-chat'
import { DefaultChatTransport } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

/** A page as an application writes it: it loads the chat, and shows what was said in other tabs. */
const id = 'talk'
const api = document.body.dataset.api!

function Tab({ loaded }: { readonly loaded: Message[] }) {
  const [text, setText] = useState('')
  const [transport] = useState(() => new DefaultChatTransport<Message>({ api }))
  const { messages, sendMessage, regenerate, setMessages, status, error } = useChat<Message>({
    ...{ id, messages: loaded, transport },
    onData: part => {
      if (part.type === 'data-missed') setMessages(shown => withMissed(shown, part.data))
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void sendMessage({ text })
        setText('')
      }}
    >
      <ol>
        {messages.map(({ id, parts }) => (
          <li key={id}>{parts.map(part => (part.type === 'text' ? part.text : ''))}</li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <input aria-label="Message" value={text} onChange={event => setText(event.target.value)} />
      <button type="button" onClick={() => void regenerate()}>
        Again
      </button>
      <output>{status}</output>
    </form>
  )
}

const response = await fetch(`${api}/${id}`)
const { messages = [] } = response.ok ? ((await response.json()) as { messages: Message[] }) : {}
createRoot(document.body).render(<Tab loaded={messages} />)
