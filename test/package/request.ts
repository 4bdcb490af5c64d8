import { getContext, runWithContext } from 'throughline/request'

const conversation = [{ role: 'user', content: 'hello' }]
const seen = await runWithContext({ conversation, projectId: 'p1' }, async () => {
  await new Promise(resolve => setTimeout(resolve, 1))
  return getContext().projectId
})
console.log(seen)
// prints: p1
