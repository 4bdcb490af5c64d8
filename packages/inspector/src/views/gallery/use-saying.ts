import { useEffect, useRef, useState } from 'react'
import { askLines, queryClient } from '../../api/client.ts'
import { galleryQuery } from '../../api/gallery-queries.ts'
import { inConversation } from '../../api/queries.ts'

export type Saying = ReturnType<typeof useSaying>

/** What is being said to an application, what arrives of the answer, and what went wrong. */
export function useSaying(application: string, conversation: string, model: string | undefined) {
  const [live, setLive] = useState<{ readonly asked: string; readonly answer: string }>()
  const [problem, setProblem] = useState<string>()
  const [draft, setDraft] = useState('')
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  /** Says one text. True if it was answered; else the text is back in the box. */
  async function sayOne(text: string, signal: AbortSignal): Promise<boolean> {
    setLive({ asked: text, answer: '' })
    let fault: string | undefined
    const lines = askLines('post /gallery/:application/:conversation/say', {
      params: { application, conversation },
      body: { text, model },
      signal,
    })
    try {
      for await (const line of lines) {
        if (line.type === 'text') setLive(now => now && { ...now, answer: now.answer + line.text })
        if (line.type === 'problem') fault = line.message
      }
    } catch (error) {
      if (!signal.aborted) fault = (error as Error).message
    }
    await queryClient.invalidateQueries({ queryKey: inConversation(conversation) })
    if (fault !== undefined) {
      setProblem(fault)
      setDraft(text)
    }
    return fault === undefined && !signal.aborted
  }

  /** Says texts one after the other, until one of them fails or it is stopped. */
  async function say(...texts: readonly string[]): Promise<void> {
    if (stop.current) return
    const controller = new AbortController()
    stop.current = controller
    setProblem(undefined)
    for (const text of texts) if (!(await sayOne(text, controller.signal))) break
    stop.current = undefined
    setLive(undefined)
    void queryClient.invalidateQueries({ queryKey: galleryQuery.queryKey })
  }

  return { live, problem, draft, setDraft, say, stop: () => stop.current?.abort() }
}
