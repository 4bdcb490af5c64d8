/** What Home Assistant sends as its system prompt: the time first, then every device with its state. */
export function homePrompt(turn: number, devices = 40, changing = 6): string {
  const time = new Date(Date.UTC(2024, 11, 20, 20, 37, 19) + turn * 47_000).toISOString()
  const list = Array.from({ length: devices }, (_, at) => {
    // Each of the changing devices is switched every few turns.
    const isOn =
      at % 7 === 3 && at / 7 < changing ? Math.floor(turn / (2 + (at % 5))) % 2 === 1 : at % 3 === 0
    const state = at % 4 === 1 ? String(18 + (isOn ? 3 : 0)) : isOn ? 'on' : 'off'
    return [
      `- names: ${rooms[at % rooms.length]} ${kinds[at % kinds.length]} ${at}`,
      `  domain: ${kinds[at % kinds.length]}`,
      `  state: '${state}'`,
      `  areas: ${rooms[at % rooms.length]}`,
    ].join('\n')
  })
  return [
    `Current time is ${time.slice(11, 19)}. Today's date is ${time.slice(0, 10)}.`,
    'You are a voice assistant for Home Assistant.',
    'Answer questions about the world truthfully.',
    'Answer in plain text. Keep it simple and to the point.',
    'When controlling Home Assistant always call the intent tools. Use HassTurnOn to lock and HassTurnOff to unlock a lock. When controlling a device, prefer passing just name and domain. When controlling an area, prefer passing just area name and domain.',
    'When a user asks to turn on all devices of a specific type, ask user to specify an area, unless there is only one device of that type.',
    'This device is not able to start timers.',
    'An overview of the areas and the devices in this smart home:',
    ...list,
  ].join('\n')
}

const rooms = ['Kitchen', 'Bedroom', 'Hall', 'Office', 'Garage']
const kinds = ['light', 'climate', 'switch', 'cover']

/** What the model sees of a system prompt, line by line: the head and the changing lines, without what was added. */
export function linesInView(
  messages: readonly { readonly role: string; readonly content?: unknown }[],
): string[] {
  const [head, ...rest] = messages
  const late = rest
    .map(({ content }) => String(content))
    .filter(text => text.startsWith('[From the system prompt'))
  const lines = [String(head?.content), ...late.map(text => text.slice(text.indexOf('\n') + 1))]
    .join('\n')
    .split('\n')
  return lines.filter(line => !/^\s*\[.*\]$/.test(line))
}
