/** Work that waits for its turn. */

/** Runs work when its turn comes. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a function that runs at most `count` works at the same time, and the others in the order of the calls. */
export function newTurns(count: number): Turns {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** Returns a function that runs the works of each key one after the other. */
export function newTurnsByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, { turns: Turns; users: number }>();
  return async (key, work) => {
    const entry = running.get(key) ?? { turns: newTurns(1), users: 0 };
    running.set(key, entry);
    entry.users++;
    try {
      return await entry.turns(work);
    } finally {
      if (--entry.users === 0) running.delete(key);
    }
  };
}
