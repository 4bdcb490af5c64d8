import type { Command, RenderCommand } from '../program.ts'
import { coloursIn } from './words.ts'

/**
 * Puts the colours that a request names into a command; one that it does not name stays. `pink instead of blue` exchanges
 * one colour for another; two colours are a first and a second one.
 */
export function recolourFor(request: string): (command: Command) => Command {
  const recolour = coloursFor(request)
  return command => {
    if (command.type === 'stop') return command
    if (command.type === 'pattern')
      return { ...command, params: { ...command.params, ...recolour(command.params) } }
    const elements = command.elements.map(element => {
      const { color = element.color } = recolour({ color: element.color })
      return { ...element, color }
    })
    return { ...command, elements }
  }
}

/** Makes a drawing darker or brighter: it has no brightness but that of its colours. */
export function relight(command: RenderCommand, level: number): RenderCommand {
  const light = (hex: string) =>
    hex.replace(/[0-9a-f]{2}/gi, digits => {
      const channel = Math.min(255, Math.round(Number.parseInt(digits, 16) * level))
      return channel.toString(16).padStart(2, '0').toUpperCase()
    })
  return {
    ...command,
    elements: command.elements.map(element => ({ ...element, color: light(element.color) })),
  }
}

interface Colours {
  readonly color?: string | undefined
  readonly color2?: string | undefined
}

function coloursFor(request: string): (given: Colours) => { color?: string; color2?: string } {
  const [color, color2] = coloursIn(request)
  if (color === undefined) return () => ({})
  if (color2 === undefined) return () => ({ color })
  const [, wanted = '', unwanted = ''] = /^(.*)\binstead of\b(.*)$/i.exec(request) ?? []
  const [, from = unwanted, to = wanted] =
    /\b(?:swap|replace|exchange|change|turn)\b(.*)\b(?:for|with|by|into|to)\b(.*)$/i.exec(
      request,
    ) ?? []
  const [next, old] = [coloursIn(to)[0], coloursIn(from)[0]]
  if (next === undefined || old === undefined) return () => ({ color, color2 })
  return given => ({
    ...(given.color?.toUpperCase() === old && { color: next }),
    ...(given.color2?.toUpperCase() === old && { color2: next }),
  })
}
