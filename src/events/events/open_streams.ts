/**
 * Counts the open streams of each identity in this isolate, and gives their looks turns. So an identity has one look
 * under way at a time, and after a slow look it rests. The state is plain data, because a request of a Worker must not
 * wait for a promise of another request.
 */

/** The most open streams of an identity. A program needs one, and a person has some tabs and machines. */
export const maxStreams = 10;

/** An identity rests this many times as long as its last look took. It then uses a quarter of a connection at most. */
const restFactor = 3;

/** The longest rest, in milliseconds. */
const maxRest = 10_000;

/** A look that has not ended after this time was killed with its Worker. In milliseconds. */
const maxLook = 30_000;

/** A stream that has shown no sign of life for this long was killed with its Worker. In milliseconds. */
const maxSilence = 120_000;

/** How often a stream asks whether it is its turn, in milliseconds. */
const turnInterval = 100;

interface Turns {
  /** The last sign of life of each stream, in milliseconds. */
  streams: Map<symbol, number>;
  /** When the next look can begin, in milliseconds. */
  freeTime: number;
}

const turnsByIdentity = new Map<string, Turns>();

/** One open stream. */
export interface OpenStream {
  /** Makes a look when it is the turn of this stream. Undefined if the stream has stopped meanwhile. */
  look<Result>(make: () => Promise<Result>, isStopped: () => boolean): Promise<Result | undefined>;
  close(): void;
}

/** Counts a new stream of the identity. Undefined if it has too many. */
export function openStreamOf(identity: string): OpenStream | undefined {
  const turns = turnsByIdentity.get(identity) ?? { streams: new Map(), freeTime: 0 };
  const { streams } = turns;
  const now = Date.now();
  for (const [stream, time] of streams) if (now - time > maxSilence) streams.delete(stream);
  if (streams.size >= maxStreams) return undefined;
  const own = Symbol();
  streams.set(own, now);
  turnsByIdentity.set(identity, turns);
  return {
    async look(make, isStopped) {
      while (Date.now() < turns.freeTime && !isStopped()) await pause(turnInterval);
      if (isStopped()) return undefined;
      const start = Date.now();
      streams.set(own, start);
      turns.freeTime = start + maxLook;
      try {
        return await make();
      } finally {
        const took = Date.now() - start;
        turns.freeTime = start + took + Math.min(took * restFactor, maxRest);
      }
    },
    close() {
      streams.delete(own);
      if (streams.size === 0 && turnsByIdentity.get(identity) === turns)
        turnsByIdentity.delete(identity);
    },
  };
}

const pause = (time: number) => new Promise<void>((resolve) => void setTimeout(resolve, time));
