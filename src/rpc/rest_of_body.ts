/** The part of a request's body that its handler has not read. */

/** Bytes, and milliseconds. A client that sends nothing for `idleMs` has stopped. */
const limits = { bytes: 1024 ** 3, ms: 10_000, idleMs: 2_000 };

/**
 * Reads the rest of a body and drops it. A connection that a server closes with unread bytes is reset, and the client may
 * lose the response (RFC 9112, 9.6). Without this, workerd reads only 64 KiB of the rest. A client that still waits for
 * `100 Continue` does not send a body after an error.
 */
export async function dropRest({ body, bodyUsed, headers }: Request): Promise<void> {
  if (!body || body.locked || (headers.has("expect") && !bodyUsed)) return;
  const reader = body.getReader();
  const end = Date.now() + limits.ms;
  let dropped = 0;
  while (dropped < limits.bytes && Date.now() < end) {
    // An error means that the client has left.
    const read = reader.read().catch(() => undefined);
    const next = await readWithin(limits.idleMs, read);
    if (!next || next.done) break;
    dropped += next.value.byteLength;
  }
}

/** Undefined if the read takes longer. */
async function readWithin<T>(ms: number, read: Promise<T>): Promise<T | undefined> {
  let stop = () => {};
  const late = new Promise<undefined>((done) => {
    const timer = setTimeout(done, ms, undefined);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    stop();
  }
}
