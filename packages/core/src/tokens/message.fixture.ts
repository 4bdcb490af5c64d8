import type { Message } from '../log/message.ts'

/** A message for tests: a user who says nothing, changed by `values`. */
export function message(values: Partial<Message> = {}): Message {
  return {
    role: 'user',
    dialect: 'openai',
    text: '',
    thinking: '',
    calls: [],
    results: [],
    media: 0,
    unknown: '',
    ...values,
  }
}
