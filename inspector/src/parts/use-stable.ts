import { useEffect, useRef, useState } from 'react'

/** One stable object whose functions call the latest ones: rows that get it need not render again. */
export function useStable<Value extends object>(value: Value): Value {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(value).map(name => [
        name,
        (...values: unknown[]) =>
          (latest.current as Record<string, (...values: unknown[]) => unknown>)[name]!(...values),
      ]),
    ),
  )
  return stable as Value
}
