import { spongebob } from 'throughline'
import { policyCases, user } from 'throughline/testing'

for (const { run } of policyCases) run(spongebob())
console.log(user('hi').role)
// prints: user
