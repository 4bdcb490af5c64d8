import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { fitLangChain } from 'throughline/langchain'

const history = [
  new HumanMessage('Which berth?'),
  new AIMessage('Berth 12.'),
  new HumanMessage('Thanks.'),
]
const { messages } = fitLangChain(history, { window: 4096 })
console.log(messages.length, messages[0] === history[0])
// prints: 3 true
