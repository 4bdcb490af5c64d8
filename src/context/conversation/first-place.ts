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
