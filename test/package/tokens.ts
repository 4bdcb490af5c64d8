import { createCounter, estimate, estimateTokens, framingFor } from 'throughline/tokens'

const framing = framingFor('qwen2.5:7b')
const letters = createCounter({ id: 'letters', exact: true, text: text => text.length, framing })
console.log(letters.text('four'), estimate().exact, estimateTokens('Hello, world!') > 2)
// prints: 4 false true
