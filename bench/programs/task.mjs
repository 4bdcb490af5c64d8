const words =
  'amber anchor barge beacon birch bollard brass breeze bridge buoy cable canvas cedar chart cliff copper coral crane current dock drift dune eddy ferry flint fog galley gull hatch hemp hull island jetty keel lantern ledger lighthouse lock mast mist moor oar otter paddle pebble pilot pine quay rail reed reef rigging rope rudder sail salt shoal silver skiff slate sound spar stern storm swell tar tide timber tow trawler wharf willow winch'.split(
    ' ',
  )

/**
 * The task: 24 files of 1 to 8 kB are read and edited, some are read again, and at the end twelve facts of them are needed.
 * Steps name what is done; each program has its own tools for it.
 */
export const files = Array.from({ length: 24 }, (_, n) => fileOf(n + 1))

export const plan = [
  'Plan: 1. Read each part of the harbour register and close its status line, one part after the other.',
  '2. Where a part names its neighbour, look at that one again before going on.',
  '3. Keep the order of the lines, and never touch a berth that is marked as leased.',
  '4. At the end write the twelve keys of the even parts into keys.txt, one a line.',
].join(' ')

export const request = [
  'The folder parts/ has 24 files. Set the status of each from open to closed.',
  'Then write the keys of the parts with even numbers into keys.txt. Make a plan first.',
].join(' ')

/** What the model does: one step for each reply, a text and a call. The last one only says that it is done. */
export const steps = [
  { text: plan, list: true },
  ...files.flatMap((file, at) => [
    { text: `I read part ${file.number} and look for its status line.`, read: file.path },
    { text: `Part ${file.number} is open. I close it and leave the rest as it is.`, edit: file },
    ...rereadAt(at),
  ]),
  ...files
    .filter(({ number }) => number % 2 === 0)
    .map(file => ({ text: `The key of part ${file.number} goes into keys.txt.`, fact: file.key })),
  { text: 'All parts are closed, and the keys stand in keys.txt.' },
]

/** From the sixth part on each names an earlier one, near or far, which is read again. */
function rereadAt(at) {
  if (at < 5) return []
  const { number, path } = files[at - 1 - ((at * 3) % 5)]
  return [{ text: `Part ${at + 1} names part ${number}, which I look at again.`, read: path }]
}

function fileOf(number) {
  const name = String(number).padStart(2, '0')
  // 1 to 8 kB, in no order.
  const size = 1000 + ((number * 3089) % 7001)
  const key = `${words[(number * 7) % words.length]}-${(number * 104_729) % 99_991}`
  const lines = [
    `# part ${name} of the harbour register`,
    'status: open',
    `key of part ${name}: ${key}`,
  ]
  for (let length = 80, n = 1; length < size; n++) {
    const line = lineOf(number, n)
    lines.push(line)
    length += line.length + 1
  }
  return { number, path: `parts/part-${name}.txt`, key, name, text: `${lines.join('\n')}\n` }
}

function lineOf(number, n) {
  const word = (step, from = 0) => words[(number * 31 + n * step + from) % words.length]
  return `berth ${number}.${n}: the ${word(7)} ${word(11, 3)} lies at the ${word(13, 5)} pier, ${(number * n * 37) % 997} feet, ${word(17, 1)} and ${word(19, 2)}`
}
