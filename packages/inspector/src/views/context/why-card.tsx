import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { cardText, cardWords, drawCard } from '@throughline/core/card'
import { windowName } from '@throughline/core/values'
import { ChevronDown, Columns2, Image, Pin } from 'lucide-react'
import { useState } from 'react'
import { cardQuery } from '../../api/queries.ts'
import button from '../../parts/button.module.css'
import { Button } from '../../parts/button.tsx'
import { toFileName } from '../../parts/download.ts'
import { MenuItem, MenuPopup } from '../../parts/menu-popup.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Skeleton } from '../../parts/query-state.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { useIsDark } from '../../parts/theme.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { copyImage, saveDrawing, saveImage, toAddress } from './card-image.ts'
import { useScene } from './scene.ts'
import { useHand } from './use-hand.ts'
import styles from './why-card.module.css'

/** Why an answer forgot, in a dialog: the message that was needed, where it left, what would have kept it. */
export function WhyCard() {
  const { place, shownPoint } = useScene()
  const { thread, search, go } = place
  const needed = { entry: search.card || undefined, text: search.saw }
  const { data, error } = useQuery(cardQuery(thread, shownPoint, needed))
  const close = () => go({ card: undefined })
  return (
    <Sheet title="Why it forgot" isTitleHidden isWide onClose={close}>
      <div className={styles.body}>
        {error && <Notice kind="danger">{error.message}</Notice>}
        {!data && !error && <Skeleton rows={8} label="Looking for the message" />}
        {data && !data.card && (
          <p>
            There is nothing to draw: no single message clearly has what was asked and was left out.
            Select a message that was not sent, and press <kbd>w</kbd>.
          </p>
        )}
        {data?.card && <ShownCard card={data.card} />}
        <Button className={styles.close} onClick={close}>
          Close
        </Button>
      </div>
    </Sheet>
  )
}

type Card = NonNullable<Parameters<typeof drawCard>[0]>

function ShownCard({ card }: { readonly card: Card }) {
  const { place, shownPoint } = useScene()
  const isDark = useIsDark()
  const isSlim = useMedia(isNarrow)
  const [isHidden, setHidden] = useState(false)
  const { isSet, work, lacking } = useHand(card.told.seq)
  const { title, why, more } = cardWords(card)
  const { cures, told, kind } = card
  const theme = isDark ? 'dark' : 'light'
  const shown = drawCard(card, { theme, isHidden, shape: isSlim ? 'tall' : 'wide' })
  const image = () => drawCard(card, { theme, isHidden })
  const name = toFileName(`${place.conversation} ${told.seq}`)
  const window = cures.window ?? shownPoint.window
  const policy = (cures.window ? cures.windowPolicy : cures.policy) ?? shownPoint.policy
  const isPinned = cures.pin === undefined || isSet.pin
  return (
    <>
      <h2 className={styles.title}>
        <span className="muted">{title[0]}</span> {title[1]}
      </h2>
      <p className={styles.why}>{why}</p>
      {more && <p className="muted">{more}</p>}
      <img className={styles.picture} src={toAddress(shown)} alt={cardText(card, { isHidden })} />
      {work.error && <Notice kind="danger">{work.error.message}</Notice>}
      <div className={`flex wraps gap-2 line-above ${styles.acts}`}>
        {!isPinned && (
          <Button
            kind="primary"
            why={lacking('chat')}
            onClick={() => work.isPending || work.mutate('pin')}
          >
            <Pin size={14} aria-hidden /> Pin #{told.seq}
          </Button>
        )}
        {(cures.window !== undefined || cures.policy !== undefined) && (
          <Button
            onClick={() =>
              place.go(
                { b: `${window}.${policy}`, entry: told.seq, card: undefined },
                { push: true },
              )
            }
          >
            <Columns2 size={14} aria-hidden /> Compare with{' '}
            {cures.window === undefined ? policy : windowName(cures.window)}
          </Button>
        )}
        <label className={`row gap-2 pushed ${styles.hide}`}>
          <input
            type="checkbox"
            checked={isHidden}
            onChange={event => setHidden(event.target.checked)}
          />
          {kind === 'deleted' ? 'Hide all words' : 'Hide the words'}
        </label>
        <span className="flex">
          <Button className={styles.copy} onClick={() => void copyImage(image(), name)}>
            <Image size={14} aria-hidden /> Copy as image
          </Button>
          <Menu.Root>
            <Menu.Trigger
              className={`${button.button} ${styles.forms}`}
              data-kind="line"
              aria-label="Other forms of the picture"
            >
              <ChevronDown size={14} aria-hidden />
            </Menu.Trigger>
            <MenuPopup align="end">
              <MenuItem label="Save as PNG" onClick={() => void saveImage(image(), name)} />
              <MenuItem label="Save as SVG" onClick={() => saveDrawing(image(), name)} />
              <MenuItem
                label="Copy its words"
                onClick={() => void navigator.clipboard.writeText(cardText(card, { isHidden }))}
              />
            </MenuPopup>
          </Menu.Root>
        </span>
      </div>
    </>
  )
}
