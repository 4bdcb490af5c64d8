import type { Fields } from '@throughline/core/fields'
import { isCount } from '@throughline/core/values'
import { ModelError } from '@throughline/models/model'
import type { Upstream } from '../upstream/upstream.ts'

/** A conversation that is only read ahead is not used: else it would keep its slot longer than one that was asked later. */
export type SlotUse = 'reply' | 'side' | 'ahead'

interface Slot {
  readonly id: number
  owner?: string
  isSide: boolean
  /** How many requests use it. A prompt that is read ahead may just be given up for the next one. */
  holders: number
  /** When it was last used, counted in requests. */
  used: number
}

/** Builds from this one on save idle slots to memory and empty them, unless told otherwise: docs/decisions/reading-ahead.md. */
const keepsIdleItself = 8664

/** The most conversations that are kept in files of the server. The names of the files are used again. */
const mostFiles = 16

export type SlotMode = 'auto' | 'on' | 'off'

export type Slots = ReturnType<typeof createSlots>

/** The slots of one llama.cpp server: which conversation is in which. */
export function createSlots({ ask }: Pick<Upstream, 'ask'>, mode: SlotMode) {
  let reading: ReturnType<typeof readSlots> | undefined
  let requests = 0
  let maySave = true
  /** The files of conversations that have no slot, the oldest first. */
  const files = new Map<string, string>()

  const read = () => {
    reading ??= readSlots(ask, mode).catch((error: unknown) => {
      // A server that is away may come; one that does not know the path stays as it is.
      if (!(error instanceof ModelError) || error.isRetryable) reading = undefined
      return { isLlama: false, total: 1, slots: [] }
    })
    return reading
  }

  /** Saves or restores a slot. The first refusal says that the server has no folder for files. */
  async function act(action: 'save' | 'restore', { id }: Slot, filename: string): Promise<boolean> {
    try {
      await ask!({ path: `/slots/${id}?action=${action}`, body: { filename } }, false)
      return true
    } catch {
      maySave &&= action === 'restore'
      return false
    }
  }

  /** Gives a slot to another conversation, and brings back what was saved of that. */
  async function hand(slot: Slot, conversation: string, isSide: boolean): Promise<void> {
    const { owner } = slot
    const isKept = owner !== undefined && !slot.isSide
    Object.assign(slot, { owner: conversation, isSide })
    if (!maySave) return
    if (isKept) {
      const [oldest] = files.size < mostFiles ? [] : files
      if (oldest) files.delete(oldest[0])
      const name = oldest?.[1] ?? `throughline-${freeName()}.bin`
      if (await act('save', slot, name)) files.set(owner, name)
    }
    const file = files.get(conversation)
    if (file === undefined) return
    files.delete(conversation)
    await act('restore', slot, file)
  }

  function freeName(): number {
    const taken = new Set(files.values())
    let name = 0
    while (taken.has(`throughline-${name}.bin`)) name += 1
    return name
  }

  return {
    /** Whether the server is llama.cpp. It is asked once; a server that does not answer is asked again. */
    isLlama: async () => (await read()).isLlama,
    /** How many conversations the server keeps. One where it does not tell, or where its slots are not to be used. */
    total: async () => (mode === 'off' ? 1 : (await read()).total),
    /** The slot that has a conversation, else the least useful one. Undefined where the server is to choose by itself. */
    async take(conversation: string, use: SlotUse = 'reply') {
      if (mode === 'off') return undefined
      const { slots } = await read()
      const ownSlot = slots.find(({ owner }) => owner === conversation)
      const slot = ownSlot ?? leastUseful(slots)
      if (!slot) return undefined
      slot.holders += 1
      requests += 1
      if (use !== 'ahead') slot.used = requests
      if (!ownSlot) await hand(slot, conversation, use === 'side')
      return {
        id: slot.id,
        release(): void {
          slot.holders -= 1
        },
      }
    },
  }
}

/** Of the slots that are free: an empty one, one of side requests, the one that was not used for longest. */
function leastUseful(slots: readonly Slot[]): Slot | undefined {
  const rank = ({ owner, isSide, used }: Slot) => (owner === undefined ? -2 : isSide ? -1 : used)
  return slots.filter(({ holders }) => holders === 0).sort((a, b) => rank(a) - rank(b))[0]
}

async function readSlots(ask: Upstream['ask'], mode: SlotMode) {
  const { total_slots: slotCount, build_info: build } = ((await ask?.({ path: '/props' })) ??
    {}) as Fields
  const isLlama = isCount(slotCount, 1) && slotCount <= mostSlots
  const total = isLlama ? slotCount : 1
  const [, number] = /^b(\d{1,9})/.exec(String(build)) ?? []
  const isSteered = mode === 'on' || Number(number ?? 0) < keepsIdleItself
  const ids = isLlama && isSteered ? Array.from({ length: total }, (_, id) => id) : []
  return {
    isLlama,
    total,
    slots: ids.map((id): Slot => ({ id, isSide: false, holders: 0, used: 0 })),
  }
}

const mostSlots = 1024
