/** An image or another file of a message. */
export type Media =
  | {
      readonly type: 'bytes'
      readonly base64: string
      readonly mediaType: string
      readonly filename?: string
    }
  | { readonly type: 'url'; readonly url: string; readonly mediaType: string }
  /** What only its own provider can read: an id of an uploaded file, a recording. */
  | { readonly type: 'foreign'; readonly kind: string }

export function isImage(media: Media): boolean {
  return media.type !== 'foreign' && /^image(\/|$)/.test(media.mediaType)
}
