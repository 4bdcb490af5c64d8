import type { RuleForms } from './rule-forms.ts'

/** Words that may stand before what is wanted, and say nothing of it. */
const filler =
  /^(?:and|also|additionally|anyway|besides|btw|but|by the way|first|finally|furthermore|hey|hi|important|just|kindly|lastly|moreover|note|now|oh|ok|okay|one more thing|please|plus|remember|second|so|then|third)(?:[\s,:;–—-]+|$)/

/** Verbs with which people tell an assistant what to do. */
const verbs = new Set(
  `abbreviate acknowledge add address adopt adhere answer append apologize apply argue ask assume attach attribute
avoid back base begin book break bring build bullet buy calculate call capitalize check choose cite clarify clean close
code combine comment commit communicate compare compile conclude confirm consider consult contact convert copy correct
create credit default define delete deploy describe disclose discuss display distinguish do document download draft
edit email embed emphasize end ensure enter escape estimate exclude execute expand explain express favor favour fetch fill
finish flag focus follow force format forward generate give greet group handle hand highlight hold ignore illustrate
include indent inform insert install interrupt introduce invent italicize justify keep label leave limit link list log
look maintain make mark measure mention merge message mix modify move name note notify number obey offer omit open
order organize output overwrite paraphrase paste pause phrase pick pin place post prefer prefix present print
prioritize proceed produce pronounce proofread propose provide publish pull push put quote rate read recap recommend
record refer refrain refuse refactor reformat remind remove rename render repeat rephrase replace reply report
request respond restate restrict return reuse reveal review rewrite round run sacrifice save say schedule search
select send separate set share show sign simplify skip sort source speak specify spell split start state stay stick
stop store structure submit substitute suggest sum summarise summarize support swear switch tag take talk teach tell
test thank touch track transcribe translate treat turn type underline update upload use utilize validate verify wait
warn watch work wrap write`.split(/\s+/),
)

/** Of "always be …": what an assistant can be asked to be. */
const manner =
  /^be (?:as )?(?:brief|careful|clear|concise|critical|direct|explicit|formal|honest|informal|polite|precise|short|specific|strict)\b/

const begins = (text: string): boolean =>
  verbs.has(/^[a-z-]+/.exec(text)?.[0] ?? '') || manner.test(text)

/** What is left of a sentence when words that say nothing are taken from its front. */
function bare(text: string): string {
  let left = text
  for (let step = 0; step < 4; step++) {
    const word = filler.exec(left)?.[0]
    if (word === undefined) return left
    left = left.slice(word.length)
  }
  return left
}

/** Words before a verb with which it is still an order. */
const modal =
  /^(?:please |then |just |also |only |always |never |ever |do not |don't |you (?:must|should|shall|have to|need to|are to) |i (?:want|need) you to |make sure (?:to |you |that you )?|be sure to )/

/** Whether a text orders something, with "please", "always" or "don't" before the verb or without. */
function orders(text: string): boolean {
  let left = text
  for (let step = 0; step < 4; step++) {
    const word = modal.exec(left)?.[0]
    if (word === undefined) break
    left = left.slice(word.length)
  }
  return begins(left)
}

/** Says for how long something holds. */
const lasting =
  /\b(?:from now on|from here on(?: out)?|from this point (?:on|forward|onwards?)|going forward|henceforth|for the rest of (?:this|the|our)(?: \w+)?|for the remainder of (?:this|the|our)(?: \w+)?|until i (?:say|tell you)(?: otherwise| something else)?|until further notice|throughout (?:this|our|the) (?:chat|conversation|session|thread)|for (?:this|our) (?:whole|entire) (?:chat|conversation|session)|(?:in|for) (?:all|any) (?:of )?(?:your )?(?:future|further|following) \w+|in (?:the )?future,)/

/** Somebody tells what they do themselves. */
const tells = /^(?:i|we|he|she|they|it|that|this|there|my|the|our|his|her)(?:'\w+)? /
/** "Do you remember that I told you to …?" speaks of a rule, and lays down none. */
const isReported = /^(?:do|did) you (?:know|recall|remember|understand)\b/
const wantsOfYou =
  /\b(?:you to|if you|that you|you(?:'d)? (?:always|never|only)|rather you|prefer you) /

const modalYou =
  /^(?:\w+ ){0,3}?(?:can|could) you |^you (?:must|should|shall|have to|need to|are to|will|can|may) /

const always = /^(?:always|never(?: ever)?|only ever) /
const cheer = /^(?:always|never) (?:ever )?(?:give up|look back|say never|stop)\b/
const demanded =
  /\b(?:you (?:must|should|shall|have to|need to|are to)|(?:want|need|like|ask|expect|prefer) you to|make sure(?: to| you| that you)?|be sure to|remember to|try to) (?:always|never(?: ever)?|only ever) ([a-z]+)/
const forbidden =
  /\byou (?:must not|mustn't|may not|are not allowed to|aren't allowed to|are never to) ([a-z]+)/

/** Said of one moment only. */
const passing =
  /\b(?:at this (?:point|time)|for now|right now|this time|today|tonight|until then|yet)\b/
const negative =
  /^(?:don't|do not|avoid|refrain from|under no circumstances|at no point)(?: ever)? /
/** What makes a ban hold for more than the next reply. */
const wide =
  /\b(?:any(?! ?more| ?longer| other| further)(?:thing|one|body)?|ever|every|each|at all|unless|on my behalf|my (?:real |full |last |first |home |e-?mail )?(?:name|phone|number|e-?mail|address|password|data|location)|in (?:your|any|all) |without (?:my|asking|checking|telling|first)|before (?:you )?[a-z]+ing)\b/

/** Of many cases one: each time the same is wanted. */
const cases =
  /^(?:whenever|when|every time|each time|any ?time|before|if) you (?!already|are\b|are done|can|cannot|continue|could|do\b|don't|ever|feel|find|get|go\b|had|happen|have|head|know|leave|like|look|move|must|need|proceed|really|reach|see|should|start|thought|truly|understand|want|were|would)[a-z]+/
const doubts =
  /^(?:if|when|whenever) you(?:'re| are)? (?:not sure|unsure|don't know|do not know|are in doubt|uncertain|make (?:an )?assumptions?)\b/
const myCases =
  /^(?:whenever|when|every time|each time|any ?time|if) i (?:ask|enter|give|mention|paste|post|request|say|send|share|tell|type|upload|use|write)\b(?!(?: you)? (?:it|my|that|the|them|these|this|those)\b)/
const eachCase =
  /^(?:for|in|with|after|before|at the (?:beginning|end|start) of) (?:all|any|each|every)(?: of)?(?: my| your)?(?: future)? (?:answers?|changes?|commits?|messages?|questions?|replies|reply|requests?|responses?|tasks?)\b/

const trailing =
  /\b(?:(?:whenever|every time|each time|any ?time) (?:i|there|we|you) (?!are\b|can\b|feel|get\b|have\b|like|need|please|want)|when i (?:ask|mention|paste|request|say|send|share|write)|before you (?:answer|change|commit|delete|edit|install|make|push|reply|respond|run|send|touch|write)|when you (?:answer|cite|explain|quote|recommend|refer|reply|respond|suggest|summari[sz]e|translate))\b/

const shapes =
  /^(?:add|avoid|begin|close|conclude|end|finish|format|give|include|keep|limit|make|open|phrase|preface|prefix|put|restrict|sign|start|structure|use|write) /
const replies =
  /\b(?:(?:each|every|any|all|all of)(?: of)?(?: your)?(?: future)? (?:reply|replies|answers?|responses?|messages?)|your (?:replies|answers|responses))\b/

const speaking =
  /^(?:answer|communicate|reply|respond|speak)(?: to me)? (?:\S+ ){0,8}?only\b|^only (?:ever )?(?:answer|reply|respond|speak|talk) /
const checking =
  /^(?:always )?(?:ask|check with|consult|notify|show|tell|warn) me (?:first |again )?before (?:you )?(?:ever )?(?!start|begin|continu|proceed)[a-z]+/
const naming = /^(?:address me (?:as|by)|call me by|refer to me (?:as|by)) /
const announced =
  /^(?:(?:a|another|general|ground|house|important|my|new|one|our|standing|the) )*(?:rules?|standing instructions?)(?: for (?:you|this (?:chat|conversation|session)))?:\s*/

/** What English sentences that are meant to last look like. */
export const english: RuleForms = {
  mayRule:
    /\b(?:address me|all (?:future|of your|your)|allowed to|always|answer|any ?time|at no point|avoid|before you|call me by|do not|don't|each (?:answer|message|reply|response|time)|every|from (?:here|now|this point) on|future|going forward|henceforth|if (?:i|you)|may not|me (?:first )?before|must not|mustn't|never|no circumstances|only ever|refer to me|refrain|remainder of|reply|respond|rest of|rules?|standing instruction|throughout|until (?:further|i)|when (?:i|you)|whenever|your (?:answers|replies|responses))\b/,
  isLead: sentence => {
    const text = bare(sentence)
    const isAlone =
      lasting.test(text) && text.replace(lasting, '').replace(/[^a-z]+/g, '').length < 12
    return isAlone || (announced.test(text) && text.replace(announced, '') === '')
  },
  isRule: sentence => {
    const text = bare(sentence)
    if (isReported.test(text)) return false
    if (lasting.test(text)) return isAsked(text)
    if (always.test(text)) return !cheer.test(text) && begins(text.replace(always, ''))
    if (negative.test(text))
      return (
        begins(gerundless(text.replace(negative, ''))) && wide.test(text) && !passing.test(text)
      )
    if (announced.test(text)) return orders(bare(text.replace(announced, '')))
    if (tells.test(text) && !wantsOfYou.test(text)) return false
    const demand = demanded.exec(text) ?? forbidden.exec(text)
    if (demand) return verbs.has(demand[1]!)
    if (cases.test(text) || doubts.test(text) || myCases.test(text) || eachCase.test(text))
      return clauses(text).some(orders)
    if (naming.test(text) || checking.test(text) || speaking.test(text)) return true
    return orders(text) && (trailing.test(text) || (shapes.test(text) && replies.test(text)))
  },
}

/** Whether a sentence that says for how long it holds asks for something: nobody's plan, and not what the speaker does. */
function isAsked(text: string): boolean {
  if (tells.test(text)) return wantsOfYou.test(text)
  const rest = bare(text.replace(lasting, '').replace(/^[\s,:;–—-]+/, ''))
  if (tells.test(rest) && !wantsOfYou.test(rest)) return false
  return orders(rest) || modalYou.test(rest) || clauses(text).some(orders)
}

/** "Avoid using …" is about what "use" is about. */
const gerundless = (text: string): string =>
  text.replace(/^([a-z]+?)(e?)ing\b/, (word, root: string) => {
    const forms = [root, `${root}e`, root.slice(0, -1)]
    return forms.find(form => verbs.has(form)) ?? word
  })

/** What stands behind each of the first commas. */
function clauses(text: string): readonly string[] {
  return text
    .split(/,\s*|\bthen\s/, 8)
    .slice(1)
    .map(bare)
}
