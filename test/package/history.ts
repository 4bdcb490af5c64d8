import { createHistory, type History } from 'throughline/history'
import { memoryStore } from 'throughline/stores'

const history: History = createHistory({ store: memoryStore() })
const begun = await history.thread('trip').begin({ role: 'user', content: 'Hello!' })
if (begun.kind === 'begun') await begun.turn.complete({ role: 'assistant', content: 'Hi!' })
console.log(begun.kind, (await history.thread('trip').messages()).length)
// prints: begun 2
