import { orAborted } from '@throughline/core/values'

/** Shares one request among all callers: it is aborted when none is left. Its answer is remembered, a failure is not. */
export function askOnce<Answer>(ask: (signal: AbortSignal) => Promise<Answer>) {
  let current: ReturnType<typeof begin> | undefined

  function begin() {
    const controller = new AbortController()
    const question = { controller, waiting: 0, isAnswered: false, answer: ask(controller.signal) }
    const forget = () => {
      if (current === question) current = undefined
    }
    question.answer.then(() => {
      question.isAnswered = true
    }, forget)
    controller.signal.addEventListener('abort', forget)
    return question
  }

  return async (signal?: AbortSignal): Promise<Answer> => {
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
