import { KeyCap } from '../parts/key-cap.tsx'
import { useKeyGroups } from '../parts/keys.ts'
import { Sheet } from '../parts/sheet.tsx'
import styles from './key-help.module.css'

export default function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const groups = useKeyGroups()
  return (
    <Sheet title="Keys" onClose={onClose}>
      <div className={styles.groups}>
        {groups.map(({ name, bindings }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {bindings.map(({ keys, does }) => (
                <div key={keys} className="grid middle line-below">
                  <dt>
                    <KeyCap keys={keys} />
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  )
}
