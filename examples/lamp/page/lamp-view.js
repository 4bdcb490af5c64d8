// @ts-check
import { frameAt } from './frame.js'
import { columns, leds, rows } from './shape.js'

/** @typedef {import('../program.ts').Program} Program */
/** @typedef {import('./colour.js').Colour} Colour */

/** The room around the LEDs, in columns. */
const margin = 2.4
/** The size of the picture in columns and rows. */
const [width, height] = [columns - 1 + 2 * margin, rows - 1 + 2 * margin]
/** Where a step stands still when nothing may move: late enough that every pattern shows its colours. */
const stillMs = 700

/**
 * Draws the lamp on a canvas, and goes on drawing while it plays.
 * @param {HTMLCanvasElement} canvas
 * @param {(ms: number) => void} onTime Told how long the program has been playing, with every picture.
 */
export function createLampView(canvas, onTime) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  /** @type {Program | undefined} */
  let program
  let isPaused = matchMedia('(prefers-reduced-motion: reduce)').matches
  let playedMs = 0
  let lastTime = 0

  function draw() {
    const frame = frameAt(program, playedMs)
    const scale = fitCanvas(canvas)
    drawCase(context, scale)
    for (const [at, colour] of frame.entries()) drawLed(context, scale, at, colour)
    // The room around the lamp takes the colour of its light.
    document.documentElement.style.setProperty('--glow', glowOf(frame))
    onTime(playedMs)
  }

  /** @param {number} time */
  function tick(time) {
    if (!isPaused) playedMs += Math.min(100, time - lastTime)
    lastTime = time
    if (!isPaused && program) draw()
    requestAnimationFrame(tick)
  }

  new ResizeObserver(draw).observe(canvas)
  requestAnimationFrame(tick)
  return {
    /** @param {Program | undefined} next */
    play(next) {
      program = next
      playedMs = isPaused ? stillMs : 0
      draw()
    },
    get isPaused() {
      return isPaused
    },
    toggle() {
      isPaused = !isPaused
    },
  }
}

/**
 * Gives the canvas as many dots as the screen has there. Returns how many of them a column takes.
 * @param {HTMLCanvasElement} canvas
 */
function fitCanvas(canvas) {
  const wanted = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio))
  const tall = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio))
  if (canvas.width !== wanted || canvas.height !== tall)
    Object.assign(canvas, { width: wanted, height: tall })
  return Math.min(canvas.width / width, canvas.height / height)
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} scale
 */
function drawCase(context, scale) {
  const { width: across, height: down } = context.canvas
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalCompositeOperation = 'source-over'
  context.fillStyle = '#101116'
  context.fillRect(0, 0, across, down)
  context.translate((across - (columns - 1) * scale) / 2, (down - (rows - 1) * scale) / 2)
}

/**
 * An LED is a small disc; when it is lit, its light spreads and adds up with that of its neighbours.
 * @param {CanvasRenderingContext2D} context
 * @param {number} scale
 * @param {number} at
 * @param {Colour} colour
 */
function drawLed(context, scale, at, colour) {
  const led = leds[at]
  if (!led) return
  const [red, green, blue] = colour.map(Math.round)
  const disc = (/** @type {number} */ radius, /** @type {string} */ fill) => {
    context.beginPath()
    context.arc(led.x * scale, led.y * scale, radius * scale, 0, 2 * Math.PI)
    context.fillStyle = fill
    context.fill()
  }
  context.globalCompositeOperation = 'source-over'
  disc(0.34, '#1d1f27')
  if (Math.max(...colour) < 3) return
  context.globalCompositeOperation = 'lighter'
  for (const [radius, level] of glows) disc(radius, `rgb(${red} ${green} ${blue} / ${level})`)
  disc(0.34, `rgb(${red} ${green} ${blue})`)
  disc(0.16, `rgb(255 255 255 / ${(Math.max(...colour) / 255) * 0.35})`)
}

/** Ever larger and fainter discs look like one soft light. */
const glows = /** @type {const} */ ([
  [1.15, 0.05],
  [0.85, 0.08],
  [0.6, 0.14],
])

/**
 * The mean colour of a frame, as faint as light on a wall.
 * @param {readonly Colour[]} frame
 */
function glowOf(frame) {
  const mean = [0, 1, 2].map(at =>
    Math.round(frame.reduce((sum, colour) => sum + (colour[at] ?? 0), 0) / frame.length),
  )
  const strength = Math.max(...mean) / 255
  return `rgb(${mean.join(' ')} / ${(strength * 0.5).toFixed(2)})`
}
