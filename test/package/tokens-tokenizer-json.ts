import { tokenizerJson } from 'throughline/tokens/tokenizer-json'

const vocab = { '[UNK]': 0, hello: 1, world: 2 }
const json = {
  model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  pre_tokenizer: { type: 'Whitespace' },
  ...{ normalizer: null, post_processor: null, decoder: null, added_tokens: [] },
}
const count = tokenizerJson(json)
console.log(count.exact, count.text('hello world'))
// prints: true 2
