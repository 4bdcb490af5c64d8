import { useLayoutEffect, useState } from 'react'

export function useSize<Element extends HTMLElement>() {
  const [element, setElement] = useState<Element | null>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    if (!element) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, size, element] as const
}
