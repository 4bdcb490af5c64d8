/** Whether a text asks, at least in passing: it has a question mark, or begins like a question. */
export const isQuestion = (text: string): boolean => /[?？؟]/.test(text) || isPlain(text)

/** Whether a text begins like a question: not everyone types the mark. */
export const isPlain = (text: string): boolean => begins.test(text)

const begins =
  /^\W*(?:are|can|could|did|do|does|had|has|have|how|is|list|recall|remind|should|summari[sz]e|tell me|was|were|what|when|where|which|who|whom|whose|why|will|would)\b/i
