/** The words by which a change is told from a new request: English first, then German, Spanish and French. */

const list = (...lines: readonly string[]) => lines.flatMap(line => line.split(', '))

/** Beginnings that say themselves that something new is wanted. */
export const newThings: readonly string[] = list(
  'new, something else, something new, something different, something completely different, forget that, forget it',
  'forget all that, start over, start again with, start fresh, a new, a different, another one, from scratch, make it look like',
  'etwas anderes, was anderes, neu, otra cosa, algo nuevo, autre chose',
)

/** Beginnings that ask to make something. What follows decides: "show me a sunset", but "show it again". */
export const makers: readonly string[] = list(
  'show me, show, write, say, display, draw, print, create, give me, play, paint, i want, i need, i d like, i would like',
  'i have, let s have, let s see, let us have, how about a, how about an, what about a, what about an, do a, do an, make a',
  'make an, make me, make some, turn on, simulate, imagine, design, generate',
  'zeig mir, zeige mir, zeig, zeige, schreib, schreibe, ich will, ich möchte, mach mir, mach ein, mach eine, mach einen',
  'muestra, muéstrame, dibuja, escribe, quiero, haz un, haz una, montre moi, montre, écris, dessine, je veux, fais un, fais une',
)

/** Beginnings that lean on what was said before. */
export const openings: readonly string[] = list(
  'but, and, or, in, with, without, now, also, then, no, not, only, just, even, as, like that, still, too, instead',
  'what about in, how about in, maybe, almost, nearly, aber, und, ohne, mit, nur, jetzt, nicht, zu, als',
  'i don t like, i dont like, i said, i meant, i prefer, i liked, other direction, other way, full brightness, full speed',
  'pero, y, sin, con, ahora, solo, demasiado, en, mais, et, sans, avec, maintenant, seulement, pas, trop',
)

/** Beginnings that ask for a change. */
export const changes: readonly string[] = list(
  'change, replace, swap, use, add, remove, delete, drop, take out, take away, get rid, keep, leave, hold, stay, let the, let',
  'put the, make the, make both, make all, make every, set the, turn the, turn up, turn down, turn off, switch off, off, stop',
  'pause, resume, continue, go on, slow down, slow, speed up, speed, dim, brighten, darken, soften, fade out, fade in, reverse',
  'invert, mirror, flip, rotate, move, shift, loop, repeat, undo, redo, go back, back, double, halve, half, twice, three times',
  'shorten, lengthen, extend, increase, decrease, reduce, raise, lower, tone, try, switch the, switch to, go, end with',
  'start with, begin with, give the, let each, let every, hold the',
  'ändere, ändern, mach die, mach den, mach das, lass, entferne, füge, behalte, stopp, aus, zurück, wiederhole, ersetze',
  'cambia, quita, añade, agrega, para, apaga, repite, enlève, ajoute, arrête, éteins, répète, remplace, garde',
)

/** Words that point at what plays, wherever they stand. */
export const references: ReadonlySet<string> = new Set(
  list(
    'it, its, that, this, these, those, them, they, same, again, before, previous, last, should',
    'es, sie, das, dies, gleiche, dasselbe, gleich, nochmal, wieder, vorher',
    'hazlo, hazla, ponlo, ponla, mismo, misma, eso, esto, ça, cela, même, encore',
  ),
)

/** Words that measure against what plays, wherever they stand. */
export const comparatives: ReadonlySet<string> = new Set(
  list(
    'slower, faster, quicker, brighter, dimmer, darker, lighter, warmer, cooler, colder, softer, harder, calmer, gentler',
    'longer, shorter, bigger, smaller, larger, wider, higher, lower, stronger, weaker, louder, quieter, smoother, more, less',
    'fewer, too, enough, twice, half, instead, better, worse, livelier, deeper, paler, richer, nicer, prettier',
    'langsamer, schneller, heller, dunkler, wärmer, kälter, kühler, sanfter, ruhiger, länger, kürzer, größer, kleiner, stärker',
    'schwächer, mehr, weniger, lieber, stattdessen, etwas, más, menos, mejor, plus, moins, mieux, plutôt',
  ),
)

/** A request that begins with one names a thing: "a sunset". "A bit slower" does not. */
export const articles: ReadonlySet<string> = new Set(list('a, an, ein, eine, einen, un, una, une'))
export const measures: ReadonlySet<string> = new Set(
  list('bit, little, tad, touch, lot, fraction, shade, bisschen, wenig, poco, peu'),
)
