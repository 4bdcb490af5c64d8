/** The first of `size` places where a test holds that holds everywhere after it, or `size`. Found by halving. */
export function firstPlace(size: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** The first of some ranges in order that ends behind a place: the one that has it, where they leave no gaps. */
export function rangeAt(ranges: readonly { readonly to: number }[], at: number): number {
  return firstPlace(ranges.length, place => ranges[place]!.to > at)
}

/** The first place of an ascending list that has a number, or a larger one: how many smaller ones there are. */
export function placeOf(list: ArrayLike<number>, number: number): number {
  return firstPlace(list.length, place => list[place]! >= number)
}
