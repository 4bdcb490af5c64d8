import { balanced, type MessageLike, parseMessage } from 'throughline'
import { type Digester, defaultDigesters, digestExchange } from 'throughline/digests'

const invoices: Digester = ({ request }) => (request.includes('invoice') ? 'an invoice' : undefined)
const answer: MessageLike = { role: 'assistant', content: 'Here it is.' }
const exchange = { request: 'my invoice, please', messages: [parseMessage(answer, 0)] }
console.log(
  balanced({ digesters: [invoices] }).name,
  digestExchange(exchange, [invoices, ...defaultDigesters]),
)
// prints: balanced [Previous: "my invoice, please" → an invoice]
