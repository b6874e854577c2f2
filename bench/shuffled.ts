/** Returns the values in a random order. */
export const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
