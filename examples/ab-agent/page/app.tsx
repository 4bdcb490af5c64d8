import { useEffect, useState } from 'react'
import { Conversation } from './conversation.tsx'
import { Instances } from './instances.tsx'
import { forget, load, nameOf } from './kept.ts'
import type { KeptBy, Message } from './message.ts'

const choices: readonly {
  readonly value: KeptBy
  readonly label: string
  readonly about: string
}[] = [
  {
    value: 'browser',
    label: 'this browser',
    about: 'It sends all of it with each message. The server keeps nothing.',
  },
  { value: 'store', label: 'the database', about: 'The browser sends only what is new.' },
]

export function App() {
  const [keptBy, setKeptBy] = useState<KeptBy>('browser')
  /** Counts the conversations begun, so that a new one starts from nothing. */
  const [begun, setBegun] = useState(0)
  const [answering, setAnswering] = useState<number>()
  const startAgain = () => {
    forget(keptBy)
    setAnswering(undefined)
    setBegun(begun + 1)
  }
  return (
    <>
      <header>
        <h1>The A/B agent</h1>
        <Instances answering={answering} />
        <fieldset>
          <legend>Who keeps the conversation?</legend>
          {choices.map(({ value, label }) => (
            <label key={value}>
              <input
                type="radio"
                name="keptBy"
                checked={keptBy === value}
                onChange={() => setKeptBy(value)}
              />
              {label}
            </label>
          ))}
          <span className="about">{choices.find(({ value }) => value === keptBy)?.about}</span>
        </fieldset>
        <button type="button" onClick={startAgain}>
          New conversation
        </button>
      </header>
      <Loaded key={`${keptBy} ${begun}`} keptBy={keptBy} onAnswer={setAnswering} />
    </>
  )
}

interface LoadedProps {
  readonly keptBy: KeptBy
  readonly onAnswer: (instance: number | undefined) => void
}

/** The conversation as it was before the page was loaded. */
function Loaded({ keptBy, onAnswer }: LoadedProps) {
  const [messages, setMessages] = useState<Message[]>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    load(keptBy).then(setMessages, error => setProblem(String(error)))
  }, [keptBy])
  if (problem)
    return <main className="problem">The conversation could not be loaded. {problem}</main>
  if (!messages) return <main aria-busy="true" />
  return (
    <Conversation id={nameOf(keptBy)} keptBy={keptBy} messages={messages} onAnswer={onAnswer} />
  )
}
