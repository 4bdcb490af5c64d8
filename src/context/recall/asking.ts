/** Whether a text has a question mark or begins like a question: not everyone types the mark. */
export const isQuestion = (text: string) => asks.test(text)

const asks =
  /[?？؟]|^\W*(?:what|when|where|who|whom|whose|which|how|why|did|do|does|is|are|was|were|has|have|had|remind|recall|tell me|list|summari[sz]e)\b/i
