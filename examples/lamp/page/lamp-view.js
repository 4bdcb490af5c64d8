// @ts-check
import { frameAt } from './frame.js'
import { columns, leds, rows } from './shape.js'

/** @typedef {import('../program.ts').Program} Program */
/** @typedef {import('./colour.js').Colour} Colour */

/** The room around the LEDs, in columns. */
const margin = 2.4
/** The size of the picture in columns and rows. */
const [width, height] = [columns - 1 + 2 * margin, rows - 1 + 2 * margin]
/** About thirty pictures a second are enough for a lamp. */
const frameMs = 30
const glowMs = 250
/** Where a step stands still when nothing may move: late enough that every pattern shows its colours. */
const stillMs = 700

/**
 * Draws the lamp on a canvas, and goes on drawing while it plays.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} room What stands behind the lamp.
 * @param {(ms: number) => void} onTime Told how long the program has been playing, with every picture.
 */
export function createLampView(canvas, room, onTime) {
  const context = contextOf(canvas)
  const light = contextOf(document.createElement('canvas'))
  Object.assign(light.canvas, {
    width: Math.round(width * lightScale),
    height: Math.round(height * lightScale),
  })
  /** @type {Program | undefined} */
  let program
  let isPaused = matchMedia('(prefers-reduced-motion: reduce)').matches
  let playedMs = 0
  let lastTime = 0
  let lastGlow = ''
  let lastGlowTime = Number.NEGATIVE_INFINITY

  function draw() {
    const frame = frameAt(program, playedMs)
    const scale = fitCanvas(canvas)
    drawLight(light, frame)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.imageSmoothingQuality = 'high'
    context.drawImage(light.canvas, 0, 0, canvas.width, canvas.height)
    context.translate(
      (canvas.width - (columns - 1) * scale) / 2,
      (canvas.height - (rows - 1) * scale) / 2,
    )
    for (const [at, colour] of frame.entries()) drawLed(context, scale, at, colour)
    onTime(playedMs)
    lightRoom(frame)
  }

  /**
   * The room around the lamp takes the colour of its light. Seldom, and only when it changes: to paint so large a light
   * takes longer than the lamp itself.
   * @param {readonly Colour[]} frame
   */
  function lightRoom(frame) {
    const now = performance.now()
    const glow = glowOf(frame)
    if (glow === lastGlow || now - lastGlowTime < glowMs) return
    lastGlow = glow
    lastGlowTime = now
    room.style.setProperty('--glow', glow)
  }

  let asked = 0
  /** @param {number} time */
  function tick(time) {
    asked = requestAnimationFrame(tick)
    if (time - lastTime < frameMs) return
    // A page that was in the background goes on where it was.
    if (!isPaused) playedMs += Math.min(100, time - lastTime)
    lastTime = time
    if (!isPaused && program) draw()
  }

  const resizes = new ResizeObserver(draw)
  resizes.observe(canvas)
  asked = requestAnimationFrame(tick)
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
    /** Draws no more. */
    stop() {
      cancelAnimationFrame(asked)
      resizes.disconnect()
    },
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D}
 */
function contextOf(canvas) {
  const context = canvas.getContext('2d', { alpha: false })
  if (!context) throw new Error('This browser cannot draw.')
  return context
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

/** The light between the LEDs is drawn small and then enlarged, which makes it soft and costs little. */
const lightScale = 4

/**
 * @param {CanvasRenderingContext2D} small
 * @param {readonly Colour[]} frame
 */
function drawLight(small, frame) {
  small.setTransform(1, 0, 0, 1, 0, 0)
  small.globalCompositeOperation = 'source-over'
  small.fillStyle = '#101116'
  small.fillRect(0, 0, small.canvas.width, small.canvas.height)
  small.translate(margin * lightScale, margin * lightScale)
  small.globalCompositeOperation = 'lighter'
  for (const [at, colour] of frame.entries()) {
    const led = leds[at]
    if (!led || !isLit(colour)) continue
    for (const [radius, strength] of halos)
      drawDisc(small, lightScale, led, radius, css(colour, strength))
  }
}

/** Larger discs are fainter. */
const halos = /** @type {const} */ ([
  [1.5, 0.05],
  [0.9, 0.13],
])

/**
 * The LED itself: a small disc in exactly its colour, with a bright middle.
 * @param {CanvasRenderingContext2D} context
 * @param {number} scale
 * @param {number} at
 * @param {Colour} colour
 */
function drawLed(context, scale, at, colour) {
  const led = leds[at]
  if (!led) return
  if (!isLit(colour)) return drawDisc(context, scale, led, 0.34, '#1d1f27')
  // A lit one is never darker than the light that its neighbours throw on it.
  context.globalCompositeOperation = 'lighten'
  drawDisc(context, scale, led, 0.34, css(colour, 1))
  context.globalCompositeOperation = 'source-over'
  drawDisc(context, scale, led, 0.15, css([255, 255, 255], (Math.max(...colour) / 255) * 0.4))
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} scale
 * @param {import('./shape.js').Led} led
 * @param {number} radius
 * @param {string} fill
 */
function drawDisc(context, scale, led, radius, fill) {
  context.beginPath()
  context.arc(led.x * scale, led.y * scale, radius * scale, 0, 2 * Math.PI)
  context.fillStyle = fill
  context.fill()
}

/** @param {Colour} colour */
function isLit(colour) {
  return Math.max(...colour) >= 3
}

/**
 * @param {Colour} colour
 * @param {number} strength
 */
function css(colour, strength) {
  return `rgb(${colour.map(Math.round).join(' ')} / ${strength})`
}

/**
 * The light that a frame throws on a wall: the hue of its mean colour, and fainter where that is darker. In few steps, so that
 * it changes seldom.
 * @param {readonly Colour[]} frame
 */
function glowOf(frame) {
  const mean = (/** @type {0 | 1 | 2} */ at) =>
    frame.reduce((sum, colour) => sum + colour[at], 0) / frame.length
  const means = [mean(0), mean(1), mean(2)]
  const most = Math.max(...means, 1)
  const [red = 0, green = 0, blue = 0] = means.map(level => Math.round((level / most) * 16) * 15.9)
  return css([red, green, blue], Math.round((most / 255) * 10) / 20)
}
