import { writeFileSync } from 'node:fs'

export const vocabulary = 8192
const width = 256
const layers = 4
const inner = 512
const heads = 8

/** Writes a model of llama's architecture with random weights as GGUF: what it writes is noise, but it takes its time. */
export function writeModel(file) {
  const metadata = [
    ['general.architecture', text('llama')],
    ['general.name', text('random')],
    ['llama.context_length', number(32_768)],
    ['llama.embedding_length', number(width)],
    ['llama.block_count', number(layers)],
    ['llama.feed_forward_length', number(inner)],
    ['llama.rope.dimension_count', number(width / heads)],
    ['llama.attention.head_count', number(heads)],
    ['llama.attention.head_count_kv', number(heads)],
    ['llama.attention.layer_norm_rms_epsilon', real(1e-5)],
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', list(8, tokens().map(toBytes))],
    [
      'tokenizer.ggml.scores',
      list(
        6,
        tokens().map((_, at) => of(4, view => view.setFloat32(0, -at, true))),
      ),
    ],
    [
      'tokenizer.ggml.token_type',
      list(
        5,
        tokens().map((_, at) => of(4, view => view.setInt32(0, typeOf(at), true))),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', number(1)],
    ['tokenizer.ggml.eos_token_id', number(2)],
    ['tokenizer.ggml.unknown_token_id', number(0)],
  ]
  const tensors = [
    ['token_embd.weight', [width, vocabulary]],
    ['output_norm.weight', [width]],
    ['output.weight', [width, vocabulary]],
    ...Array.from({ length: layers }, (_, at) => [
      [`blk.${at}.attn_norm.weight`, [width]],
      ...['q', 'k', 'v', 'output'].map(part => [`blk.${at}.attn_${part}.weight`, [width, width]]),
      [`blk.${at}.ffn_norm.weight`, [width]],
      [`blk.${at}.ffn_gate.weight`, [width, inner]],
      [`blk.${at}.ffn_up.weight`, [width, inner]],
      [`blk.${at}.ffn_down.weight`, [inner, width]],
    ]).flat(),
  ]
  let offset = 0
  const infos = tensors.map(([name, shape]) => {
    const info = [toBytes(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)]
    offset += aligned(sizeOf(shape) * 4)
    return Buffer.concat(info)
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata.map(([name, value]) => Buffer.concat([toBytes(name), value])),
    ...infos,
  ])
  const data = tensors.map(([, shape]) => weights(sizeOf(shape), shape.length === 1))
  writeFileSync(file, Buffer.concat([padded(head), ...data.map(padded)]))
}

const aligned = size => Math.ceil(size / 32) * 32
const padded = bytes => Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)])
const sizeOf = shape => shape.reduce((product, one) => product * one, 1)

/** The three special tokens and the 256 bytes come first. */
const tokens = () =>
  Array.from({ length: vocabulary }, (_, at) => {
    if (at < 3) return ['<unk>', '<s>', '</s>'][at]
    return at < 259 ? `<0x${(at - 3).toString(16).toUpperCase().padStart(2, '0')}>` : `▁w${at}`
  })
const typeOf = at => (at === 0 ? 2 : at < 3 ? 3 : at < 259 ? 6 : 1)

let state = 1
function weights(size, isNorm) {
  const values = Float32Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return isNorm ? 1 : (state / 2 ** 32 - 0.5) * 0.1
  })
  return Buffer.from(values.buffer)
}

function of(size, write) {
  const bytes = Buffer.alloc(size)
  write(new DataView(bytes.buffer, bytes.byteOffset, size))
  return bytes
}
const u32 = value => of(4, view => view.setUint32(0, value, true))
const u64 = value => of(8, view => view.setBigUint64(0, BigInt(value), true))
const toBytes = value => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])
const number = value => Buffer.concat([u32(4), u32(value)])
const real = value => Buffer.concat([u32(6), of(4, view => view.setFloat32(0, value, true))])
const text = value => Buffer.concat([u32(8), toBytes(value)])
const list = (type, items) => Buffer.concat([u32(9), u32(type), u64(items.length), ...items])
