import { useEffect, useState } from 'react'

interface Instance {
  readonly number: number
  readonly pid: number
}

/** The two server processes, and which of them has answered last. Either may be killed: nothing is lost. */
export function Instances({ answering }: { readonly answering: number | undefined }) {
  const [running, setRunning] = useState<readonly Instance[]>([])
  useEffect(() => {
    const look = async () => setRunning(await (await fetch('/api/instances')).json())
    const tryToLook = () => look().catch(() => setRunning([]))
    tryToLook()
    const timer = setInterval(tryToLook, 1_000)
    return () => clearInterval(timer)
  }, [])
  const kill = (number: number) => void fetch(`/api/instances/${number}/kill`, { method: 'POST' })
  return (
    <ul className="instances" aria-label="Instances">
      {[1, 2].map(number => {
        const pid = running.find(one => one.number === number)?.pid
        return (
          <li key={number} data-answering={number === answering} data-dead={pid === undefined}>
            <span>
              Instance {number}{' '}
              <small>{pid === undefined ? 'starts again' : `process ${pid}`}</small>
            </span>
            <button
              type="button"
              disabled={pid === undefined}
              onClick={() => kill(number)}
              aria-label={`Kill instance ${number}`}
            >
              Kill
            </button>
          </li>
        )
      })}
    </ul>
  )
}
