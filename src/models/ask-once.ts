import { orAborted } from '../log/or-aborted.ts'

/**
 * Shares one request among all callers. Its answer is remembered, a failure is not. A caller who aborts does not abort
 * the others; the request is aborted when no caller is left.
 */
export function askOnce<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
): (signal?: AbortSignal) => Promise<Answer> {
  let current: Question<Answer> | undefined

  function begin(): Question<Answer> {
    const controller = new AbortController()
    const question: Question<Answer> = {
      controller,
      waiting: 0,
      isAnswered: false,
      answer: ask(controller.signal),
    }
    const forget = () => {
      if (current === question) current = undefined
    }
    question.answer.then(() => {
      question.isAnswered = true
    }, forget)
    controller.signal.addEventListener('abort', forget)
    return question
  }

  return async signal => {
    signal?.throwIfAborted()
    current ??= begin()
    const question = current
    question.waiting += 1
    try {
      return await orAborted(question.answer, signal)
    } finally {
      question.waiting -= 1
      if (question.waiting === 0 && !question.isAnswered) question.controller.abort()
    }
  }
}

interface Question<Answer> {
  readonly controller: AbortController
  readonly answer: Promise<Answer>
  waiting: number
  isAnswered: boolean
}
