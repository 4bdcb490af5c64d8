import { useEffect, useRef } from 'react'
import { createLampView } from '../../../../../examples/lamp/page/lamp-view.js'
import type { LampDrawing } from '../../api/gallery-queries.ts'
import styles from './lamp-canvas.module.css'

type Program = Parameters<ReturnType<typeof createLampView>['play']>[0]

interface LampCanvasProps {
  readonly program: LampDrawing['program']
  readonly label: string
}

/** The 172 LEDs as they are now. With reduced motion it is one still picture. */
export function LampCanvas({ program, label }: LampCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const view = useRef<ReturnType<typeof createLampView>>(undefined)
  const text = JSON.stringify(program)
  useEffect(() => {
    const made = createLampView(canvas.current!, canvas.current!, () => undefined)
    view.current = made
    return () => made.stop()
  }, [])
  // Its text tells whether it is another one: the state is read again after every message.
  useEffect(
    () => view.current?.play(text === undefined ? undefined : (JSON.parse(text) as Program)),
    [text],
  )
  return (
    <div className={`relative clipped ${styles.lamp}`}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  )
}
