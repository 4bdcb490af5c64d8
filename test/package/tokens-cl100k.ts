import { fit } from 'throughline'
import { cl100k } from 'throughline/tokens/cl100k'

const count = cl100k()
const { tokens } = fit([{ role: 'user', content: 'hello' }], { window: 8192, count })
console.log(count.exact, count.text('hello world'), tokens > 2)
// prints: true 2 true
