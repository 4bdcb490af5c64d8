import { wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { throughlineMiddleware } from 'throughline/ai-sdk'

const model = new MockLanguageModelV3()
const wrapped = wrapLanguageModel({ model, middleware: throughlineMiddleware({ window: 8192 }) })
console.log(wrapped.modelId === model.modelId)
// prints: true
