import { useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import styles from './long-text.module.css'

export function LongText({ children }: { readonly children: React.ReactNode }) {
  const text = useRef<HTMLDivElement>(null)
  const [isLong, setLong] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const element = text.current
    if (element && !isOpen) setLong(element.scrollHeight > element.clientHeight + 1)
  })
  return (
    <>
      <div ref={text} className={`written ${styles.text}`} data-cut={!isOpen}>
        {children}
      </div>
      {isLong && (
        <Button kind="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  )
}
