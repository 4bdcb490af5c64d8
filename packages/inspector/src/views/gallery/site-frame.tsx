import { useEffect, useRef, useState } from 'react'
import styles from './site-frame.module.css'

interface SiteFrameProps {
  readonly html: string
  readonly title: string
  /** Drawn at half its size. */
  readonly isSmall?: boolean
}

/**
 * A page of the site. Somebody else wrote it, maybe a model: it stands in a frame of its own without scripts, forms and ways out, and its text is put
 * in from here, because a frame that may not run anything cannot ask for it.
 */
export function SiteFrame({ html, title, isSmall = false }: SiteFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  // Until then it holds an empty page of this one, with other rules.
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    const root = frame.current?.contentDocument?.documentElement
    if (isLoaded && root) root.innerHTML = html
  }, [isLoaded, html])
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      title={title}
      data-small={isSmall}
      src="/inspector/frame"
      sandbox="allow-same-origin"
      tabIndex={-1}
      onLoad={() => setLoaded(true)}
    />
  )
}
