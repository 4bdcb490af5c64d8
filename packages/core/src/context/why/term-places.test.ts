import { expect, it } from 'vitest'
import { termPlaces } from './why-recall.ts'

const marked = (text: string, ...asked: readonly string[]) =>
  termPlaces(text, term => asked.includes(term)).map(([from, to]) => text.slice(from, to))

it('marks whole words by their terms, with their accents', () => {
  expect(marked('El código de la puerta: códigos.', 'codigo')).toEqual(['código', 'códigos'])
})

it('marks characters and pairs where words are not separated, and no neighbour of them', () => {
  expect(marked('王芳现在开一辆红色的车', '王芳', '开', '车')).toEqual(['王芳', '开', '车'])
  expect(marked('王芳', '芳')).toEqual(['芳'])
})

it('joins what stands side by side', () => {
  expect(marked('我喜欢猫', '我喜', '喜欢')).toEqual(['我喜欢'])
})
