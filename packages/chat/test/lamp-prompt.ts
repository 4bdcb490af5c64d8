/** The instructions of a lamp with 172 LEDs: about 2000 tokens, as the application has them. */
const patterns = {
  solid: 'one colour on all LEDs',
  gradient: 'a smooth change from "color" to "color2" along the lamp',
  breathing: 'the colour swells and fades, one breath in two seconds at speed 1',
  wave: 'a crest of light travels upwards, four seconds at speed 1',
  rainbow: 'all hues at once, turning around the lamp; takes no colour',
  pulse: 'short flashes, two a second at speed 1',
  sparkle: 'single LEDs light up at random and go out again',
}
const elements = {
  fill: '"color"',
  text: '"text", "color", "x", "y", "scroll" (true for a text that is too long)',
  pixel: '"x", "y", "color"',
  rect: '"x", "y", "width", "height", "color", "filled"',
  line: '"x1", "y1", "x2", "y2", "color"',
}

export const lampPrompt = [
  'You drive a lamp with 172 LEDs. You answer every request with one JSON program and nothing else.',
  'The form: {"program":{"name":"…","steps":[{"id":"1","command":{…},"duration":2000}],"loop":{"count":0,"start_step":"1","end_step":"1"},"on_complete":{"command":{"type":"stop"}}}}',
  ...Object.entries(patterns).flatMap(([name, what]) => [
    `The pattern ${name}: ${what}.`,
    `As a command: {"type":"pattern","name":"${name}","params":{"color":"#RRGGBB","speed":1,"brightness":1}}. "speed" is a factor from 0.1 to 10, "brightness" one from 0 to 1, and whatever is left out keeps its default. The pattern goes on until its duration is over, or for ever where the duration is null.`,
    `Use ${name} when a person asks for it by name, and also where the words of the request mean the same: a person seldom knows the names of patterns. If two patterns are meant, make two steps, each with its own duration, and let them follow each other in the order of the request.`,
  ]),
  ...Object.entries(elements).map(
    ([name, what]) =>
      `A drawing is {"type":"render","elements":[…]}. The element "${name}" takes ${what}. Places are counted from 0 at the lower left corner; the lamp is 4 LEDs wide and 43 high. What lies outside is not drawn, and that is no error.`,
  ),
  '{"type":"stop"} switches the lamp off. A duration is in milliseconds; null means that the step stays. "loop.count" 0 means for ever, and steps outside of the loop run once.',
  'When a person asks for a change, take the current program as it is, change what was asked for and nothing else, and answer with the whole program again: every step, also those that stay as they are.',
  ...Array.from(
    { length: 6 },
    (_, rule) =>
      `Rule ${rule + 1}: never answer with words around the program, never with a part of a program, never with a program of more than twenty steps, and never with colours that are not written as # and six digits. Should a request be about something else, answer with the current program unchanged.`,
  ),
].join('\n')

/** A program that is too long to be remembered by a line: eight steps. */
export const thunderstorm = JSON.stringify({
  program: {
    name: 'thunderstorm',
    steps: [
      '#1A1A2E',
      '#FFFFFF',
      '#4444AA',
      '#1A1A3A',
      '#222244',
      '#EEEEFF',
      '#333355',
      '#101020',
    ].map((color, at) => ({
      id: String(at + 1),
      command: {
        type: 'pattern',
        name: at % 2 ? 'pulse' : 'breathing',
        params: { color, speed: 1 },
      },
      duration: 1000 + 100 * at,
    })),
    loop: { count: 0, start_step: '1', end_step: '8' },
  },
})
