import { Component } from 'react'

/**
 * Keeps the focus on an element that is moved. A browser takes it away when a list is put in another order; only a class can
 * look before that happens.
 */
export class KeepFocus extends Component<{ readonly children: React.ReactNode }> {
  override getSnapshotBeforeUpdate(): Element | null {
    return document.activeElement
  }

  override componentDidUpdate(_props: unknown, _state: unknown, focused: Element | null): void {
    if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected)
      focused.focus({ preventScroll: true })
  }

  override render(): React.ReactNode {
    return this.props.children
  }
}
