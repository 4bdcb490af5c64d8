import { useEffect, useState } from 'react'

/** Copies a text, and says so for a moment. */
export function useCopy(): readonly [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, text => void navigator.clipboard.writeText(text).then(() => setCopied(true))]
}
