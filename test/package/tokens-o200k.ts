import { fit } from 'throughline'
import { o200k } from 'throughline/tokens/o200k'

const count = o200k()
const { tokens } = fit([{ role: 'user', content: 'hello' }], { window: 8192, count })
console.log(count.exact, count.text('hello world'), tokens > 2)
// prints: true 2 true
